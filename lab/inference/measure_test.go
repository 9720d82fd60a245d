package inference

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"hinge/lab/relational"
	"hinge/symbolic/infer"
	"hinge/symbolic/infer/baselines"
)

// few are additions of so many images that a test can afford.
func few(t *testing.T, digits, images int) *additions {
	t.Helper()
	a, err := newAdditions(digits, images, 1)
	require.NoError(t, err)
	return a
}

// TestMethodsAgree: held to the same gap all methods find the same answers; a
// method that is cut off says so.
func TestMethodsAgree(t *testing.T) {
	a := few(t, 1, 20)
	want := -1.0
	for _, name := range []string{"auto", "ipm", "admm"} {
		m, err := infer.New(name)
		require.NoError(t, err)
		out, err := measure(context.Background(), a, 1e-1, m, certified(), time.Hour)
		require.NoError(t, err)
		if out.Limited || !(out.More[gap] <= 1e-6) || !(out.More[infeasity] <= 1e-6) || !(out.Value > 0) || out.More[sweeps] < 1 {
			t.Errorf("%s: %+v", name, out)
		}
		if want < 0 {
			want = out.More[accuracy]
		}
		if out.More[accuracy] != want || want < 70 {
			t.Errorf("%s: %v %% right, bcd %v %%", name, out.More[accuracy], want)
		}
	}
	out, err := measure(context.Background(), a, 1e-3, baselines.PaperBCD{}, certified(), time.Nanosecond)
	if err != nil || !out.Limited {
		t.Errorf("without time: %+v, %v", out, err)
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := measure(ended, a, 1e-3, baselines.PaperBCD{}, certified(), time.Second); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: error %v", err)
	}
}

// TestPublishedRule: the rule ends a solve that has not reached a small gap, and
// its end is not called a limit; on additions the gap decides.
func TestPublishedRule(t *testing.T) {
	a := few(t, 1, 4)
	loose, err := measure(context.Background(), a, 1, baselines.PaperBCD{}, published(), time.Hour)
	if err != nil || loose.Limited || !(loose.More[gap] > 1e-6) || !(loose.More[infeasity] <= violationTolerance) {
		t.Errorf("%+v, %v", loose, err)
	}
	tight, err := measure(context.Background(), a, 1, baselines.PaperBCD{}, certified(), time.Hour)
	if err != nil || !(loose.More[sweeps] < tight.More[sweeps]) {
		t.Errorf("%v sweeps by the published rule, %v to a gap of 1e-6 (%v)", loose.More[sweeps], tight.More[sweeps], err)
	}
	out, err := measure(context.Background(), a, 1e-2, baselines.PaperBCD{}, published(), time.Nanosecond)
	if err != nil || !out.Limited {
		t.Errorf("without time: %+v, %v", out, err)
	}
	r := byGap("gap", 1e-3, 25000)
	out, err = measure(context.Background(), a, 1e-3, infer.Auto{}, r, time.Hour)
	if err != nil || out.Limited || out.More[infeasity] > violationTolerance {
		t.Errorf("%+v, %v", out, err)
	}
}

// TestRelational infers the base model of Cora.
func TestRelational(t *testing.T) {
	root := os.Getenv("HINGE_DATA")
	if root == "" {
		t.Skip("set HINGE_DATA to a data root with the folder cora")
	}
	set, err := relational.Open("cora", root)
	require.NoError(t, err)
	p, err := openPart(set, 0)
	require.NoError(t, err)
	if len(p.weights) != 10 || p.weights[0] != 1 || p.weights[9] != 0.001 {
		t.Errorf("weights %v", p.weights)
	}
	out, err := measure(context.Background(), p, 0.1, infer.Auto{}, certified(), time.Hour)
	if err != nil || out.Limited || out.More[accuracy] < 75 || out.More[accuracy] > 90 {
		t.Errorf("%+v, %v", out, err)
	}
}

// TestMore: at least one run, three in any case but that of long ones, and many of
// those that are over at once.
func TestMore(t *testing.T) {
	for _, c := range []struct {
		n     int
		spent time.Duration
		want  bool
	}{
		{0, time.Hour, true}, {1, time.Second, true}, {1, enough, false}, {2, enough - 1, true}, {3, time.Second, false},
		{3, little - 1, true}, {manyRepeats - 1, 0, true}, {manyRepeats, 0, false},
	} {
		if got := more(c.n, c.spent); got != c.want {
			t.Errorf("after %d runs in %v: %v", c.n, c.spent, got)
		}
	}
}
