package checkpoint

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"
)

// saverEnv makes the test binary save checkpoints into the folder it names
// until it is killed, printing each step once it is saved.
const saverEnv = "HINGE_TEST_SAVER"

func TestMain(m *testing.M) {
	if dir := os.Getenv(saverEnv); dir != "" {
		fmt.Println(saver(dir))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func saver(dir string) error {
	s, err := Open(dir, Options{Keep: 2})
	if err != nil {
		return err
	}
	first := int64(1)
	if list, err := s.Steps(); err != nil {
		return err
	} else if len(list) > 0 {
		first = list[len(list)-1] + 1
	}
	for step := first; ; step++ {
		state, tensors := saved(step)
		if err := s.Save(step, state, tensors); err != nil {
			return err
		}
		fmt.Println(step)
	}
}

// A process that is killed at any moment, again and again in the same folder,
// leaves every checkpoint it reported.
func TestKilledProcess(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOOS == "js" || runtime.GOOS == "wasip1" {
		t.Skip("needs processes that can be killed: run it on a Unix system")
	}
	dir := filepath.Join(t.TempDir(), "store")
	rng := rand.New(rand.NewPCG(11, 12))
	reported := int64(0)
	for range 12 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), saverEnv+"="+dir)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		// Kill it at a random moment after its first report.
		wait := time.Duration(rng.IntN(40)) * time.Millisecond
		lines := bufio.NewScanner(out)
		armed := false
		for lines.Scan() {
			step, err := strconv.ParseInt(lines.Text(), 10, 64)
			if err != nil {
				t.Fatalf("the process says: %s", lines.Text())
			}
			reported = step
			if !armed {
				armed = true
				time.AfterFunc(wait, func() { _ = cmd.Process.Kill() })
			}
		}
		if err := cmd.Wait(); err == nil || !armed {
			t.Fatalf("the process was not killed: %v", err)
		}

		s, err := Open(dir, Options{ReadOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		c, bad := latest(t, s)
		if c.Step < reported || c.Step > reported+1 || bad != nil {
			t.Fatalf("found step %d, damaged %v; %d was reported", c.Step, bad, reported)
		}
		if err := verify(c); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("killed 12 times, last step %d", reported)
}
