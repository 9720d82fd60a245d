package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// environment has packages that can be installed together.
type environment struct {
	name string
	// pins are the packages as pip is given them, NAME==VERSION.
	pins []string
	// on names an environment whose packages this one has as well.
	on string
	// least is the least Python that the packages ask for; empty means that any will do.
	least string
}

// environments pins every peer. qpth 0.0.18 asks for numpy 1 and cvxpy for numpy 2, so that each
// peer has its own.
var environments = []environment{
	{name: "torch", pins: []string{"torch==2.15.0", "numpy==2.4.6"}},
	{name: "onnxruntime", pins: []string{"onnxruntime==1.31.1", "numpy==2.4.6"}},
	{name: "solvers", pins: []string{"piqp==0.6.4", "clarabel==0.11.1", "highspy==1.15.0", "osqp==1.1.3", "numpy==2.4.6", "scipy==1.17.1"}},
	{name: "cvxpylayers", pins: []string{"cvxpylayers==1.2.0", "clarabel==0.11.1", "scs==3.3.1"}, on: "torch"},
	{name: "qpth", pins: []string{"qpth==0.0.18", "numpy==1.26.4"}, on: "torch"},
	{name: "deepproblog", pins: []string{"deepproblog==2.1.0"}, on: "torch"},
	{name: "deeplog", pins: []string{"pydeeplog==5.0.0", "mv-sdd==0.1.0b2"}, least: "3.12"},
	{name: "ltntorch", pins: []string{"ltntorch==1.0.2"}, on: "torch"},
	{name: "psl", pins: []string{"pslpython==2.4.1"}},
}

func environmentNames() []string {
	list := make([]string, len(environments))
	for i, e := range environments {
		list[i] = e.name
	}
	return list
}

// interpreter returns the Python of an environment, and makes it where there is none.
func (r *runner) interpreter(ctx context.Context, name string) (string, error) {
	if program, ok := r.existing[name]; ok {
		return program, nil
	}
	if err, ok := r.refused[name]; ok {
		return "", err
	}
	dir := filepath.Join(r.work, "env", name)
	program, err := r.install(ctx, name, dir)
	if err != nil {
		os.RemoveAll(dir)
		r.refused[name] = err
		return "", err
	}
	r.existing[name] = program
	return program, nil
}

// installed is the file that says that an environment is complete.
const installed = "installed"

func (r *runner) install(ctx context.Context, name, dir string) (string, error) {
	var e environment
	for _, e = range environments {
		if e.name == name {
			break
		}
	}
	program := filepath.Join(dir, "bin", "python")
	if _, err := os.Stat(filepath.Join(dir, installed)); err == nil {
		return program, nil
	}
	python, err := r.pythonFrom(ctx, e.least)
	if err != nil {
		return "", err
	}
	base := ""
	if e.on != "" {
		below, err := r.interpreter(ctx, e.on)
		if err != nil {
			return "", err
		}
		python = below // an extension module belongs to one version of Python
		out, err := output(ctx, below, "-c", "import sysconfig, numpy, os; print(os.path.dirname(os.path.dirname(numpy.__file__)))")
		if err != nil {
			return "", err
		}
		base = strings.TrimSpace(out)
	}
	if _, err := output(ctx, python, "-m", "venv", dir); err != nil {
		return "", err
	}
	if base != "" {
		site, err := output(ctx, program, "-c", "import sysconfig; print(sysconfig.get_paths()['purelib'])")
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(strings.TrimSpace(site), "below.pth"), []byte(base+"\n"), 0o666); err != nil {
			return "", err
		}
	}
	fmt.Fprintf(r.log, "installing %s\n", strings.Join(e.pins, " "))
	if _, err := output(ctx, program, append([]string{"-m", "pip", "install", "-q", "--disable-pip-version-check"}, e.pins...)...); err != nil {
		return "", err
	}
	return program, os.WriteFile(filepath.Join(dir, installed), []byte(strings.Join(e.pins, "\n")+"\n"), 0o666)
}

// pythonFrom returns the interpreter asked for, or the first of the usual ones that is new enough.
func (r *runner) pythonFrom(ctx context.Context, least string) (string, error) {
	for _, p := range []string{r.python, "python3", "python3.14", "python3.13", "python3.12"} {
		want := least
		if want == "" {
			want = "3.9"
		}
		check := fmt.Sprintf("import sys; sys.exit(sys.version_info < (%s))", strings.ReplaceAll(want, ".", ","))
		if exec.CommandContext(ctx, p, "-c", check).Run() == nil {
			return p, nil
		}
	}
	return "", fmt.Errorf("no Python from %s on is found: name one by -python", least)
}

// output runs a command; its error ends in the last line of what the command said.
func output(ctx context.Context, name string, args ...string) (string, error) {
	var out, said strings.Builder
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s: %s", filepath.Base(name), lastLine(said.String(), err))
	}
	return out.String(), nil
}

// lastLine is the last line of what a program said that tells anything, shortened.
func lastLine(text string, err error) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		if l := strings.TrimSpace(lines[i]); l != "" && !strings.HasPrefix(l, "[notice]") {
			return shorten(l)
		}
	}
	return err.Error()
}

func shorten(text string) string {
	const most = 160
	if r := []rune(text); len(r) > most {
		return string(r[:most]) + "…"
	}
	return text
}
