// Command ort times the forward passes of our networks beside those of onnxruntime, which
// runs the ONNX files that this module writes of them, in alternation on the same machine:
//
//	go run ./lab/ort -python PYTHON -out lab/benchmarks/neural-ort.md
//
// PYTHON is an interpreter that has the package onnxruntime. Both sides are processes of their
// own with as many threads, take the same images, and have to agree on the outputs. A ratio is
// the median over the alternations of ours to theirs, so that other load on the machine
// meets both. Without the package the program prints how to get it and ends well;
// it exits with 1 if a measurement fails.
package main

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hinge/nn/kernel"
	"hinge/train/machine"
)

//go:embed forward.py
var script []byte

const install = `No onnxruntime found, so there is nothing to compare with. With Python 3:
python3 -m venv /tmp/ort && /tmp/ort/bin/pip install onnxruntime==1.31.1
go run ./lab/ort -python /tmp/ort/bin/python`

var (
	batches = []int{1, 64, 256}
	threads = []int{1, 2}
)

// tolerance is how far outputs, relative to the largest, may differ.
const tolerance = 1e-3

func main() {
	out := flag.String("out", "", "write the page to a `file`")
	python := flag.String("python", "/tmp/ort/bin/python", "`interpreter` that has onnxruntime")
	rounds := flag.Int("alternations", 7, "alternations of the two sides")
	seconds := flag.Float64("seconds", .5, "time for each measurement")
	ours := flag.String("ours", "", "be our side for this `network`, which the program starts itself")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := errors.New("want at least one alternation and a time above 0")
	switch {
	case *ours != "":
		at := slices.IndexFunc(networks, func(n network) bool { return n.name == *ours })
		if at < 0 {
			err = fmt.Errorf("-ours: there is no network %q", *ours)
			break
		}
		err = networks[at].serve(os.Stdin, os.Stdout)
	case *rounds > 0 && *seconds > 0:
		err = run(ctx, *out, *python, *rounds, *seconds)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "ort:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out, python string, rounds int, seconds float64) error {
	if err := exec.CommandContext(ctx, python, "-c", "import onnxruntime").Run(); err != nil {
		fmt.Println(install)
		return nil
	}
	dir, err := os.MkdirTemp("", "bench-ort")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	py := filepath.Join(dir, "forward.py")
	if err := os.WriteFile(py, script, 0o644); err != nil {
		return err
	}
	p := page{rounds: rounds, seconds: seconds, date: time.Now(), version: machine.Version(ctx), machine: machine.This().String(), path: kernel.Path()}
	if text, err := os.ReadFile("/proc/loadavg"); err == nil {
		p.load = strings.Join(strings.Fields(string(text))[:3], " ")
	}
	for i := range networks {
		n := &networks[i]
		file := filepath.Join(dir, n.name+".onnx")
		f, err := os.Create(file)
		if err != nil {
			return err
		}
		if err := errors.Join(n.export(f), f.Close()); err != nil {
			return err
		}
		for _, t := range threads {
			if err := p.compare(ctx, n, python, file, py, t); err != nil {
				return fmt.Errorf("%s, %d threads: %w", n.name, t, err)
			}
		}
	}
	if out == "" {
		return p.write(os.Stdout)
	}
	p.command = fmt.Sprintf("go run ./lab/ort -alternations %d -seconds %g -out %s", rounds, seconds, out)
	w, err := os.Create(out)
	if err != nil {
		return err
	}
	return errors.Join(p.write(w), w.Close())
}

// side is a process that answers how long passes take.
type side struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// start runs a program; its first line, which says that it is ready, is returned.
func start(ctx context.Context, env []string, name string, args ...string) (*side, answer, error) {
	s := &side{cmd: exec.CommandContext(ctx, name, args...)}
	s.cmd.Env, s.cmd.Stderr = append(os.Environ(), env...), os.Stderr
	in, err := s.cmd.StdinPipe()
	if err != nil {
		return nil, answer{}, err
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, answer{}, err
	}
	s.in, s.out = in, bufio.NewReader(out)
	if err := s.cmd.Start(); err != nil {
		return nil, answer{}, err
	}
	a, err := s.read()
	return s, a, err
}

func (s *side) read() (answer, error) {
	var a answer
	line, err := s.out.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &a)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", filepath.Base(s.cmd.Path), err)
	}
	return a, err
}

func (s *side) ask(batch int, seconds float64) (answer, error) {
	if _, err := fmt.Fprintln(s.in, batch, seconds); err != nil {
		return answer{}, err
	}
	return s.read()
}

func (s *side) stop() error { return errors.Join(s.in.Close(), s.cmd.Wait()) }

// compare measures all batches of a network with a number of threads.
func (p *page) compare(ctx context.Context, n *network, python, file, py string, threads int) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	ours, _, err := start(ctx, []string{fmt.Sprint("GOMAXPROCS=", threads)}, self, "-ours", n.name)
	if err != nil {
		return err
	}
	args := []string{py, file, fmt.Sprint(threads)}
	for _, d := range n.shape {
		args = append(args, fmt.Sprint(d))
	}
	theirs, ready, err := start(ctx, nil, python, args...)
	if err != nil {
		return errors.Join(err, ours.stop())
	}
	p.ort = ready.Version
	for _, b := range batches {
		r := row{network: n.name, batch: b, threads: threads}
		for range p.rounds {
			a, err := ours.ask(b, p.seconds)
			if err != nil {
				return err
			}
			o, err := theirs.ask(b, p.seconds)
			if err != nil {
				return err
			}
			if err := agree(a.Out, o.Out); err != nil {
				return fmt.Errorf("batch %d: %w", b, err)
			}
			r.ours, r.theirs, r.ratios = append(r.ours, a.MS), append(r.theirs, o.MS), append(r.ratios, a.MS/o.MS)
		}
		p.rows = append(p.rows, r)
		fmt.Fprintf(os.Stderr, "%s, batch %d, %d threads: ours %.3f ms, onnxruntime %.3f ms, ratio %.2f\n",
			n.name, b, threads, median(r.ours), median(r.theirs), median(r.ratios))
	}
	return errors.Join(ours.stop(), theirs.stop())
}

// agree is an error where two sides' outputs are not those of one network.
func agree(a, b []float32) error {
	if len(a) == 0 || len(a) != len(b) {
		return fmt.Errorf("%d outputs and %d", len(a), len(b))
	}
	var far, large float64
	for i := range a {
		far = max(far, math.Abs(float64(a[i]-b[i])))
		large = max(large, math.Abs(float64(b[i])))
	}
	if !(far <= tolerance*large) {
		return fmt.Errorf("outputs %v and %v are not of one network", a, b)
	}
	return nil
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return v[len(v)/2]
}
