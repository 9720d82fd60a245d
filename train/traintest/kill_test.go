package traintest

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"hinge/train"
	"hinge/train/checkpoint"
	"hinge/train/config"
)

// Environment of a test binary that is a run: the folder, and the loss.
const (
	childEnv = "HINGE_TEST_RUN"
	lossEnv  = "HINGE_TEST_LOSS"
	// fullEnv names the folder to which a run whose disk gets full copies what it
	// ends with.
	fullEnv = "HINGE_TEST_FULL"
)

const killSteps = 200

// child trains in dir, going on from whatever is there, and prints the number of every step
// that is done; with out set, on a disk that gets full.
func child(dir, out string) int {
	if out != "" {
		if err := fullDisk(dir, out); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return 0
	}
	c := Config(os.Getenv(lossEnv), killSteps)
	found, _ := filepath.Glob(filepath.Join(dir, "step-*", "manifest.json"))
	m, err := New(c)
	if err == nil {
		_, err = train.Run(context.Background(), c, m, train.Options{Dir: dir, Resume: len(found) > 0, Observer: Observer{
			OnStart: func(p train.Plan) { fmt.Println(p.Done) }, OnStep: func(step int) { fmt.Println(step) },
		}})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// command is a child in dir.
func command(loss, dir string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+dir, lossEnv+"="+loss)
	cmd.Stderr = os.Stderr
	return cmd
}

// TestKilledRuns kills runs at random moments, resumes them and compares the end
// with that of a run nobody disturbed, bit for bit.
func TestKilledRuns(t *testing.T) {
	for n, loss := range config.CommonLosses() {
		killRuns(t, loss, 2, uint64(n))
	}
}

func killRuns(t *testing.T, loss string, kills int, seed uint64) {
	if runtime.GOOS == "windows" || runtime.GOOS == "js" || runtime.GOOS == "wasip1" {
		t.Skip("needs processes that can be killed: run it on a Unix system")
	}
	whole := filepath.Join(t.TempDir(), "whole")
	require.NoError(t, command(loss, whole).Run())
	want := outcome(t, whole, killSteps)
	rng := rand.New(rand.NewPCG(seed, 51))
	var at []int
	for try := 0; len(at) < kills; try++ {
		dir := filepath.Join(t.TempDir(), fmt.Sprint("run", try))
		step := rng.IntN(killSteps - 10)
		if !kill(t, command(loss, dir), step, time.Duration(rng.IntN(5_000))*time.Microsecond) {
			// On a busy machine a run may be done before this process is awake.
			if try > 2*kills {
				t.Fatalf("%s: %d of %d runs ended before they were killed", loss, try-len(at), try)
			}
			continue
		}
		at = append(at, step)
		require.NoErrorf(t, command(loss, dir).Run(), "%s: the resumed run failed", loss)
		if got := outcome(t, dir, killSteps); !reflect.DeepEqual(got, want) {
			t.Errorf("%s, killed after step %d: the resumed run ended elsewhere: %s", loss, step, difference(got, want))
		}
	}
	t.Logf("%s: killed after steps %v, each time resumed to the same bits", loss, at)
}

// kill starts a run and kills it some time after it has done a step; false tells
// that the run ended before.
func kill(t *testing.T, cmd *exec.Cmd, step int, wait time.Duration) bool {
	t.Helper()
	cmd.Stdout = nil
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if lines.Text() == fmt.Sprint(step) {
			time.Sleep(wait)
			_ = cmd.Process.Kill()
			break
		}
	}
	return cmd.Wait() != nil
}

// outcome is everything a run leaves but its times: tensors, state, metrics and
// result.
func outcome(t *testing.T, dir string, steps int) map[string]any {
	t.Helper()
	out := make(map[string]any)
	store, err := checkpoint.Open(dir, checkpoint.Options{ReadOnly: true})
	require.NoError(t, err)
	c, err := store.Latest(nil)
	require.NoError(t, err)
	require.Equalf(t, int64(steps), c.Step, "the newest checkpoint in %s is of step", dir)
	for _, name := range c.Names() {
		if out["tensor "+name], err = c.Tensor(name); err != nil {
			t.Fatal(err)
		}
	}
	state := make(map[string]any)
	require.NoError(t, c.State(&state))
	out["state"] = timeless(state)
	lines, err := os.ReadFile(filepath.Join(dir, "metrics.jsonl"))
	require.NoError(t, err)
	for line := range strings.Lines(string(lines)) {
		m := make(map[string]any)
		require.NoError(t, json.Unmarshal([]byte(line), &m))
		out[fmt.Sprint("metric ", m["step"], m["split"])] = timeless(m)
	}
	data, err := os.ReadFile(filepath.Join(dir, "result.json"))
	require.NoError(t, err)
	result := make(map[string]any)
	require.NoError(t, json.Unmarshal(data, &result))
	out["result"] = timeless(result)
	return out
}

func timeless(m map[string]any) map[string]any {
	for _, key := range []string{"wall_s", "solver_s", "neural_s", "comm_s", "ranks"} {
		delete(m, key)
	}
	return m
}

// difference names what differs.
func difference(a, b map[string]any) string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(b)) {
		if !reflect.DeepEqual(a[name], b[name]) {
			names = append(names, name)
		}
	}
	return fmt.Sprintf("%d entries against %d; %s", len(a), len(b), strings.Join(names, ", "))
}
