//go:build mpi

package mpi_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	_ "hinge/cluster/mpi"
	"hinge/cluster/mpi/mpitest"
	"hinge/optim/collective"
)

// childEnv makes the binary of the tests a rank that does what it says.
const childEnv = "HINGE_TEST_RANK"

// abortReason is what a rank says before it aborts the job.
const abortReason = "no such file on this node"

func TestMain(m *testing.M) {
	what := os.Getenv(childEnv)
	if what == "" {
		os.Exit(m.Run())
	}
	c, err := collective.World(os.Getenv("HINGE_TEST_LIBRARY"))
	if err != nil {
		fmt.Println(err)
		os.Exit(2)
	}
	switch what {
	case "collectives":
		err = collectives(c)
	case "abort":
		if c.Rank() == 1 {
			fmt.Println(abortReason)
			c.Abort(7)
		}
		err = c.Barrier()
	case "die":
		if c.Rank() == 1 {
			_ = c.Barrier()
			p, _ := os.FindProcess(os.Getpid())
			_ = p.Kill()
			select {}
		}
		_ = c.Barrier()
		err = c.Barrier()
	}
	if err != nil {
		fmt.Printf("rank %d: %v\n", c.Rank(), err)
		c.Abort(1)
	}
	if err := c.Close(); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Printf("rank %d of %d: %v\n", c.Rank(), c.Size(), c)
	os.Exit(0)
}

// numbers are those of a rank.
func numbers[T collective.Float](rank, n int) []T {
	x := make([]T, n)
	for i := range x {
		x[i] = T(math.Ldexp(1/float64(3*i+rank+1), (i*(rank+1))%31-15))
	}
	return x
}

// collectives compares every collective with what it stands for.
func collectives(c collective.Comm) error {
	if err := sums[float32](c); err != nil {
		return err
	}
	if err := sums[float64](c); err != nil {
		return err
	}
	all, err := collective.Gather(c, slices.Repeat([]int64{int64(c.Rank())}, 3*c.Rank()))
	if err != nil {
		return err
	}
	for r, x := range all {
		if !slices.Equal(x, slices.Repeat([]int64{int64(r)}, 3*r)) {
			return fmt.Errorf("gathered %v from rank %d", x, r)
		}
	}
	send := make([][]float64, c.Size())
	for b := range send {
		send[b] = slices.Repeat([]float64{float64(10*c.Rank() + b)}, b)
	}
	got, err := collective.Exchange(c, send)
	if err != nil {
		return err
	}
	for a, x := range got {
		if want := slices.Repeat([]float64{float64(10*a + c.Rank())}, c.Rank()); !slices.Equal(x, want) {
			return fmt.Errorf("%v came from rank %d, want %v", x, a, want)
		}
	}
	text, err := collective.BroadcastText(c, []byte(fmt.Sprint("of rank ", c.Rank())), c.Size()-1)
	if want := fmt.Sprint("of rank ", c.Size()-1); err != nil || string(text) != want {
		return fmt.Errorf("broadcast %q, %v", text, err)
	}
	var own error
	if c.Rank() == c.Size()-1 {
		own = errors.New("no such file")
	}
	var e *collective.RankError
	if err := collective.Agree(c, own, func(error) int { return 3 }); !errors.As(err, &e) || e.Rank != c.Size()-1 || e.Code != 3 {
		return fmt.Errorf("agreed on %v", err)
	}
	return c.Barrier()
}

func sums[T collective.Float](c collective.Comm) error {
	for _, n := range []int{1, 1000, 1<<20 + 17} {
		x, want := numbers[T](c.Rank(), n), numbers[T](0, n)
		for r := 1; r < c.Size(); r++ {
			for i, v := range numbers[T](r, n) {
				want[i] += v
			}
		}
		if err := collective.Sum(c, x); err != nil {
			return err
		}
		if !slices.Equal(x, want) {
			return fmt.Errorf("the sum of %d %T has other bits than that of a loop", n, want)
		}
	}
	return nil
}

// TestCollectives runs all collectives on 2, 3 and 4 ranks under each MPI.
func TestCollectives(t *testing.T) {
	for _, l := range mpitest.Launchers(t) {
		for _, ranks := range []int{2, 3, 4} {
			cmd := l.Command(t.Context(), ranks, os.Args[0])
			cmd.Env = append(cmd.Env, childEnv+"=collectives")
			out, err := cmd.CombinedOutput()
			if done := strings.Count(string(out), fmt.Sprintf(" of %d: ", ranks)); err != nil || done != ranks {
				t.Errorf("%s, %d ranks: %v, %d ended well:\n%s", l.Name, ranks, err, done, out)
				continue
			}
			if ranks == 2 {
				t.Logf("%s", strings.TrimSpace(string(out)))
			}
		}
	}
}

// TestEnds: a rank that aborts, and one that is killed, end the job soon and not with exit
// code 0. What the first said before it aborted is printed, and of the second the launcher
// says something.
func TestEnds(t *testing.T) {
	for _, l := range mpitest.Launchers(t) {
		for _, how := range []string{"abort", "die"} {
			cmd := l.Command(t.Context(), 4, os.Args[0])
			cmd.Env = append(cmd.Env, childEnv+"="+how)
			start := time.Now()
			out, err := cmd.CombinedOutput()
			took := time.Since(start)
			if err == nil || took > 10*time.Second || len(out) == 0 {
				t.Errorf("%s, %s: %v after %v:\n%s", l.Name, how, err, took, out)
			}
			if how == "abort" && (cmd.ProcessState.ExitCode() != 7 || !strings.Contains(string(out), abortReason)) {
				t.Errorf("%s: exit code %d, want that of Abort, and the reason before it:\n%s", l.Name, cmd.ProcessState.ExitCode(), out)
			}
			t.Logf("%s, %s: %v after %.1f s", l.Name, how, err, took.Seconds())
		}
	}
}

// TestStartErrors: without a library, with a file that is none, and with that of the
// other MPI, all ranks end with exit code 2 and one line each.
func TestStartErrors(t *testing.T) {
	other := map[string]string{"openmpi": "libmpich.so.12", "mpich": "libmpi.so.40"}
	launchers := mpitest.Launchers(t)
	for _, l := range launchers {
		for _, c := range []struct{ library, want string }{
			{"libnosuchmpi.so", "no MPI library: tried libnosuchmpi.so"},
			{"libm.so.6", "not an MPI library"},
			{other[l.Name], "it is not the library of the launcher"},
		} {
			if len(launchers) < 2 && c.library == other[l.Name] {
				continue
			}
			cmd := l.Command(t.Context(), 2, os.Args[0])
			cmd.Env = append(cmd.Env, childEnv+"=collectives", "HINGE_TEST_LIBRARY="+c.library)
			out, err := cmd.CombinedOutput()
			if err == nil || cmd.ProcessState.ExitCode() != 2 || strings.Count(string(out), c.want) < 1 {
				t.Errorf("%s with %s: %v\n%s", l.Name, c.library, err, out)
			}
		}
	}
}
