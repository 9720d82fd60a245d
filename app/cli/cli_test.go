package cli

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/symbolic/facts"
	"hinge/symbolic/model"
	"hinge/symbolic/psl"
	"hinge/train/config"
	"hinge/train/exit"
	"hinge/train/learning"
)

func TestParse(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"", ""},
		{"-n 3", ""},
		{"-n three", `invalid value "three" for flag -n: parse error; tool -h lists the flags`},
		{"-m 3", "flag provided but not defined: -m; tool -h lists the flags"},
		{"-vversion", "flag provided but not defined: -vversion; tool -h lists the flags; did you mean -version?"},
		{"-n 3 stray", `unexpected argument "stray"; tool -h lists the flags`},
	} {
		// A set that would exit and talk by itself is kept from both.
		f := flag.NewFlagSet("tool", flag.ExitOnError)
		n := f.Int("n", 0, "a number")
		f.String("s", "", "not given")
		var out strings.Builder
		set, err := Parse(f, strings.Fields(c.args), "tool [flags]", &out)
		if out.Len() > 0 {
			t.Errorf("%q: printed %q", c.args, out.String())
		}
		if c.want != "" {
			if !errors.As(err, new(*UsageError)) || err.Error() != c.want {
				t.Errorf("%q: error %v, want %s", c.args, err, c.want)
			}
			continue
		}
		want := map[string]bool{}
		if c.args != "" {
			want["n"] = true
		}
		if err != nil || !maps.Equal(set, want) || want["n"] != (*n == 3) {
			t.Errorf("%q: %v, %v, n = %d", c.args, set, err, *n)
		}
	}
}

func TestHelp(t *testing.T) {
	f := flag.NewFlagSet("tool", flag.ContinueOnError)
	f.Int("n", 7, "a `number`")
	var out strings.Builder
	_, err := Parse(f, []string{"-h"}, "tool [flags]", &out)
	if want := "usage: tool [flags]\n  -n number\n    \ta number (default 7)\n  -version\n    \tprint release, commit and the kernels in use, and exit\n"; !errors.Is(err, flag.ErrHelp) || out.String() != want {
		t.Errorf("%v, printed %q, want %q", err, out.String(), want)
	}
}

func TestExitCode(t *testing.T) {
	for _, c := range []struct {
		err  error
		want int
	}{
		{nil, exit.OK}, {errors.New("x"), exit.Internal}, {Usage("x"), exit.Usage}, {&config.UsageError{}, exit.Usage}, {&psl.Error{}, exit.Usage},
		{&model.Error{}, exit.Usage}, {&facts.Error{Err: &model.Error{}}, exit.Data}, {&learning.DataError{Err: os.ErrExist}, exit.Data},
		{WithCode(exit.Unsolved, "x"), exit.Unsolved}, {errors.Join(WithCode(exit.Unsolved, "x"), Usage("x")), exit.Usage},
	} {
		assert.Equalf(t, c.want, ExitCode(c.err), "%T", c.err)
		var said strings.Builder
		if code := Exit("tool", &said, exit.OK, c.err); code != c.want || strings.HasPrefix(said.String(), "tool: ") != (c.err != nil) {
			t.Errorf("%T: exit code %d, said %q", c.err, code, said.String())
		}
	}
	if code := Exit("tool", nil, exit.Data, flag.ErrHelp); code != exit.OK {
		t.Errorf("after -h: exit code %d", code)
	}
}

func TestSeconds(t *testing.T) {
	for s, want := range map[float64]string{152: "150 s", 12345: "12000 s", 1: "1 s", .00213: "0.0021 s", 0: "0 s", 99.6: "100 s"} {
		assert.Equal(t, want, Seconds(s))
	}
}

func TestMagnitude(t *testing.T) {
	for v, want := range map[float64]string{8.52: "8.52", 1e-13: "0", 2.4e-9: "2e-09", 9.9e-4: "1e-03", 0.00123456: "0.00123", 0.5: "0.5", 123.4: "123"} {
		assert.Equal(t, want, Magnitude(v))
	}
}

func TestFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.Mkdir("old.json", 0o777))
	for _, folder := range []string{"", "run", "run-1.5", "old.json", "new.json/", "a.psl/b", ".", ".."} {
		require.NoError(t, Folder(folder, ""), folder)
	}
	for _, file := range []string{"x.psl", "a/results.JSON", "x.xlsx", "x.csv.gz"} {
		assert.ErrorAs(t, Folder(file, ""), new(*UsageError), file)
	}
	assert.EqualError(t, Folder("a/results.json", "-json prints it"), "-out a/results.json has the name of a file, and names a folder here: write -out a/results; -json prints it")
}

func ExamplePrintJSON() {
	_ = PrintJSON(os.Stdout, map[string]string{"rule": "A(X) -> B(X)"})
	// Output:
	// {
	//   "rule": "A(X) -> B(X)"
	// }
}

// TestMain makes the binary of the tests a process that waits for signals.
func TestMain(m *testing.M) {
	how := os.Getenv("CLI_CHILD")
	if how == "" {
		os.Exit(m.Run())
	}
	ctx, code := Signals("stopping")
	fmt.Fprintln(os.Stderr, "ready")
	<-ctx.Done()
	if how == "stuck" {
		select {}
	}
	os.Exit(int(code.Load()))
}

// The first signal ends the context and gives the exit code, a second one ends
// the process.
func TestSignals(t *testing.T) {
	for _, c := range []struct {
		how     string
		signals []os.Signal
		want    int
	}{
		{"well", []os.Signal{os.Interrupt}, exit.Interrupted},
		{"well", []os.Signal{syscall.SIGTERM}, exit.Terminated},
		{"well", []os.Signal{syscall.SIGHUP}, exit.Terminated}, // of a terminal that is closed
		{"stuck", []os.Signal{os.Interrupt, syscall.SIGTERM}, exit.Terminated},
		{"stuck", []os.Signal{syscall.SIGTERM, os.Interrupt}, exit.Interrupted},
	} {
		if c.signals[0] == syscall.SIGHUP && signal.Ignored(syscall.SIGHUP) {
			continue // started by nohup
		}
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), "CLI_CHILD="+c.how)
		stderr, err := cmd.StderrPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		var said []string
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			if len(said) < len(c.signals) {
				_ = cmd.Process.Signal(c.signals[len(said)])
			}
			said = append(said, lines.Text())
		}
		_ = cmd.Wait()
		if code := cmd.ProcessState.ExitCode(); code != c.want || strings.Join(said, ",") != "ready,stopping" {
			t.Errorf("%s, signals %v: exit code %d, want %d; it said %q", c.how, c.signals, code, c.want, said)
		}
	}
}

// TestPresses: a signal that arrives twice at once is one press; another one, and the same
// later, are more.
func TestPresses(t *testing.T) {
	var p Presses
	for i, c := range []struct {
		signal os.Signal
		later  time.Duration
		want   bool
	}{
		{os.Interrupt, 0, true}, {os.Interrupt, 0, false}, {syscall.SIGTERM, 0, true}, {syscall.SIGTERM, 0, false},
		{syscall.SIGTERM, 2 * twice, true}, {os.Interrupt, 0, true},
	} {
		p.at = p.at.Add(-c.later)
		if got := p.Another(c.signal); got != c.want {
			t.Errorf("signal %d, %v: another press: %v", i, c.signal, got)
		}
	}
}

// TestFlagIsNoValue: a flag whose value was left out does not take the flag behind it for one.
func TestFlagIsNoValue(t *testing.T) {
	for _, c := range []struct {
		args string
		ok   bool
	}{
		{"-out -quiet", false}, {"--out --quiet", false}, {"-out -n=3", false}, {"-quiet -out -out x", false}, {"-out -h", false}, {"-out --help", false},
		{"-out=-quiet", true}, {"-out x -quiet", true}, {"-quiet -out x y", true}, {"-n -3", true}, {"-out -3", true}, {"-out x -out y", true},
	} {
		f := flag.NewFlagSet("program", flag.ContinueOnError)
		f.String("out", "", "")
		f.Int("n", 0, "")
		f.Bool("quiet", false, "no `progress`")
		_, err := ParseFlags(f, strings.Fields(c.args), "", io.Discard)
		if c.ok {
			require.NoError(t, err, c.args)
		} else {
			require.ErrorContains(t, err, "-out has no value, as -", c.args)
		}
	}
}

// TestEmptyValue: a flag with an empty value is refused: infer -weights "" inferred with the weights as written.
func TestEmptyValue(t *testing.T) {
	for _, args := range [][]string{{"-out", ""}, {"-out="}, {"--out="}, {"-quiet", "-out", "x", "-out", "", "-quiet"}, {"-out=x", "-out=", "y"}} {
		for _, settings := range []bool{false, true} { // of which some are empty by default
			f := flag.NewFlagSet("program", flag.ContinueOnError)
			f.String("out", "", "")
			f.Bool("quiet", false, "")
			want := "the value of -out is empty: give one, or leave the flag out"
			if settings {
				f.String("set", "", "")
				want += "; -set KEY= empties a setting"
			}
			_, err := ParseFlags(f, args, "", io.Discard)
			require.EqualError(t, err, want, "%q", args)
		}
	}
}
