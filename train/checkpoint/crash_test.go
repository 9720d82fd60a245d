package checkpoint

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// saved is what the workload puts into the checkpoint of a step; all of it
// follows from the step, so that a reader can check it.
func saved(step int64) (testState, []Tensor) {
	rng := rand.New(rand.NewPCG(uint64(step), 1))
	w := make([]float32, 40)
	for i := range w {
		w[i] = rng.Float32()
	}
	return testState{Epoch: int(step) / 10, Seed: rng.Uint64(), Loss: rng.Float64()},
		[]Tensor{NewTensor("w", w, 5, 8), NewTensor("n", []int64{step})}
}

// verify fails unless c holds exactly what was saved at its step.
func verify(c *Checkpoint) error {
	want, tensors := saved(c.Step)
	var got testState
	if err := c.State(&got); err != nil {
		return err
	}
	if got != want {
		return fmt.Errorf("%s: state %+v, want %+v", c.Name, got, want)
	}
	w := make([]float32, 40)
	if err := Read(c, "w", w); err != nil {
		return err
	}
	if !slices.Equal(w, tensors[0].Data.([]float32)) {
		return fmt.Errorf("%s: tensor w differs", c.Name)
	}
	return nil
}

const storeDir = "runs/a"

// progress is what the store has acknowledged.
type progress struct {
	latest      int64 // 0: none
	tryLatest   int64 // begun, perhaps not finished
	failedSaves int
}

// workload opens a store and saves steps 10, 20, …; it saves one step
// twice. It goes on after errors.
func workload(f FS, saves int) progress {
	var p progress
	s, err := Open(storeDir, Options{Keep: 2, FS: f})
	if err != nil {
		return p
	}
	for i := range saves {
		step := int64(10 * (i + 1))
		if i == saves-1 {
			step -= 10 // again
		}
		state, tensors := saved(step)
		p.tryLatest = max(p.tryLatest, step)
		if err := s.Save(step, state, tensors); err != nil {
			p.failedSaves++
			continue
		}
		p.latest = max(p.latest, step)
	}
	return p
}

// inspect opens what a crash or an error left and checks all promises. It
// returns the names of damaged checkpoints.
func inspect(f FS, p progress) (bad []string, err error) {
	s, err := Open(storeDir, Options{Keep: 2, FS: f})
	if err != nil {
		return nil, err
	}
	names, err := f.ReadDir(storeDir)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if isTemp(name) {
			return nil, fmt.Errorf("%s was left behind", name)
		}
	}
	c, err := s.Latest(func(name string, err error) { bad = append(bad, name) })
	switch {
	case errors.Is(err, ErrNone), errors.Is(err, ErrDamaged):
		if p.latest > 0 && len(bad) == 0 {
			return bad, fmt.Errorf("step %d was saved and nothing is left", p.latest)
		}
	case err != nil:
		return bad, err
	default:
		if err := verify(c); err != nil {
			return bad, err
		}
		if len(bad) == 0 && (c.Step < p.latest || c.Step > p.tryLatest) {
			return bad, fmt.Errorf("latest is step %d, saved were %d to %d", c.Step, p.latest, p.tryLatest)
		}
	}
	if len(bad) == 0 {
		// Nor may an older checkpoint be half there.
		steps, err := s.Steps()
		if err != nil {
			return bad, err
		}
		for _, step := range steps {
			if c, err := s.Load(step); err != nil {
				return bad, err
			} else if err := verify(c); err != nil {
				return bad, err
			}
		}
	}
	// Life goes on.
	state, tensors := saved(1000)
	if err := s.Save(1000, state, tensors); err != nil {
		return bad, err
	}
	if c, err := s.Latest(nil); err != nil || c.Step != 1000 {
		return bad, fmt.Errorf("after the next save: %v, %v", c, err)
	}
	return bad, nil
}

// percents are the shares of unsynced data that survive a crash.
var percents = []int{0, 10, 50, 100}

// operations counts the operations of an undisturbed workload.
func operations(saves int) int {
	f := newMemFS()
	workload(f, saves)
	return f.ops
}

// crashSchedules stops the machine in every operation of the workload, with
// every share of unsynced data, for the given number of seeds. A lying disk
// acknowledges Sync of files and does nothing: checkpoints are then torn, and
// each must be named instead of loaded.
func crashSchedules(t *testing.T, saves, seeds int, lying bool) {
	t.Helper()
	schedules, named := 0, 0
	for at := 1; at <= operations(saves); at++ {
		for _, percent := range percents {
			if lying && percent == 100 {
				continue // nothing is torn
			}
			for seed := range seeds {
				f := newMemFS()
				f.crashAt, f.lying = at, lying
				p := workload(f, saves)
				rng := rand.New(rand.NewPCG(uint64(seed), uint64(at)))
				bad, err := inspect(f.crash(rng, percent), p)
				if err != nil || !lying && len(bad) > 0 {
					t.Fatalf("crash in operation %d, %d%% of unsynced data left, seed %d: damaged %v, %v", at, percent, seed, bad, err)
				}
				schedules++
				named += len(bad)
			}
		}
	}
	if lying && named == 0 {
		t.Error("no torn checkpoint came up: the test tests nothing")
	}
	t.Logf("%d crash schedules, %d torn checkpoints named", schedules, named)
}

func TestCrashes(t *testing.T)   { crashSchedules(t, 6, 2, false) }
func TestLyingDisk(t *testing.T) { crashSchedules(t, 4, 1, true) }

// Any single operation may fail; then the machine may lose power.
func TestEveryOperationFails(t *testing.T) {
	const saves = 6
	for _, failure := range []error{syscall.EIO, syscall.EACCES} {
		for at := 1; at <= operations(saves); at++ {
			f := newMemFS()
			f.failAt, f.failErr = at, failure
			p := workload(f, saves)
			if p.failedSaves > 1 {
				t.Fatalf("operation %d fails once, %d saves failed", at, p.failedSaves)
			}
			rng := rand.New(rand.NewPCG(9, uint64(at)))
			for _, percent := range percents {
				if bad, err := inspect(f.crash(rng, percent), p); err != nil || len(bad) > 0 {
					t.Fatalf("operation %d fails, %d%% left: damaged %v, %v", at, percent, bad, err)
				}
			}
			if bad, err := inspect(f, p); err != nil || len(bad) > 0 {
				t.Fatalf("operation %d fails: damaged %v, %v", at, bad, err)
			}
		}
	}
}

// A disk that fills up costs the save in progress only, leaves no rubbish, and
// is named.
func TestDiskFull(t *testing.T) {
	for at := 1; at < 40; at++ {
		f := newMemFS()
		s, err := Open(storeDir, Options{FS: f})
		require.NoError(t, err)
		save(t, s, 10)
		f.failAt, f.failErr = f.ops+at, syscall.ENOSPC
		state, tensors := saved(20)
		err = s.Save(20, state, tensors)
		if f.ops < f.failAt {
			break // the save has fewer operations
		}
		if err != nil && (!errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), storeDir) || !strings.Contains(err.Error(), "free some space")) {
			t.Errorf("operation %d: error %v", at, err)
		}
		if names, err := f.ReadDir(storeDir); err != nil || slices.ContainsFunc(names, isTemp) {
			t.Errorf("operation %d: the failed save left %v, %v", at, names, err)
		}
		f.failAt, f.full = 0, true
		state, tensors = saved(30)
		if err := s.Save(30, state, tensors); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("operation %d: on a full disk: %v", at, err)
		}
		f.full = false
		if bad, err := inspect(f, progress{latest: 10, tryLatest: 20}); err != nil || len(bad) > 0 {
			t.Errorf("operation %d: damaged %v, %v", at, bad, err)
		}
	}
}
