package relational

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/bilevel"
	"hinge/symbolic/infer"
	"hinge/symbolic/infer/baselines"
	"hinge/train/learning"
	"hinge/train/record"
)

// camps writes a trust network of two camps below a data root: people trust their
// own camp and nobody else, with one exception in ten.
func camps(t *testing.T) (root string) {
	t.Helper()
	root = t.TempDir()
	rng := rand.New(rand.NewPCG(1, 2))
	var knows, trusts strings.Builder
	for a := range 40 {
		for b := range 40 {
			if a == b || rng.IntN(4) > 0 {
				continue
			}
			fmt.Fprintf(&knows, "%d\t%d\t1\n", a, b)
			fmt.Fprintf(&trusts, "%d\t%d\t%d\n", a, b, int(number((a%2 == b%2) != (rng.IntN(10) == 0))))
		}
	}
	require.NoError(t, os.Mkdir(filepath.Join(root, "epinions"), 0o777))
	for name, text := range map[string]string{"knows.txt": knows.String(), "trusts.txt": trusts.String()} {
		require.NoError(t, os.WriteFile(filepath.Join(root, "epinions", name), []byte(text), 0o666))
	}
	return root
}

// campsFold is a fold of that network.
func campsFold(t *testing.T, k int) *Fold {
	t.Helper()
	set, err := Open("epinions", camps(t))
	require.NoError(t, err)
	f, err := set.Fold(k)
	require.NoError(t, err)
	return f
}

// Every loss lowers the energy of the labels, and what is learned from one part holds
// in the other. (Equal weights rank this little network as well: the scores alone
// would not show learning.)
func TestRun(t *testing.T) {
	f := campsFold(t, 2)
	for _, loss := range bilevel.Losses {
		c, err := Recipe("epinions", loss)
		require.NoError(t, err)
		// The published tolerance is for thousands of judgements.
		c.Epochs, c.ConstraintTolerance = 60, 0
		var energies []float64 // of the labels
		r, err := f.Run(context.Background(), c, func(m record.Metric) {
			if m.Terms != nil {
				energies = append(energies, m.Terms.Energy)
			} else {
				energies = append(energies, *m.Loss)
			}
		})
		require.NoError(t, err)
		t.Logf("%s: %.1f learned from, %.1f tested on, %d epochs", loss, r.Learn.Value, r.Test.Value, r.Epochs)
		if !(r.Test.Value > 90) || !(r.Learn.Value > 95) {
			t.Errorf("%s: AUROC %v learned from, %v tested on", loss, r.Learn.Value, r.Test.Value)
		}
		for k := range energies[1:] {
			if !(energies[k+1] < energies[k]) {
				t.Errorf("%s: energy %v in epoch %d, %v in the next", loss, energies[k], k+1, energies[k+1])
			}
		}
		if !(energies[len(energies)-1] < 0.95*energies[0]) {
			t.Errorf("%s: the energy of the labels went from %v to %v", loss, energies[0], energies[len(energies)-1])
		}
		if len(energies) != r.Epochs || r.Unsolved != 0 || len(r.Weights) != 21 {
			t.Errorf("%s: %d steps of %d, %d unsolved, %d weights", loss, len(energies), r.Epochs, r.Unsolved, len(r.Weights))
		}
		// The score is that of plain inference with the weights.
		again, err := f.Test.Infer(r.Weights, c.Epsilon, infer.Settings{Workers: 1})
		if err != nil || again.Value != r.Test.Value {
			t.Errorf("%s: inferred again %v, %v, was %v", loss, again, err, r.Test.Value)
		}
	}
}

func TestRunErrors(t *testing.T) {
	f := campsFold(t, 0)
	if _, err := f.Run(context.Background(), Config{Loss: "none"}, nil); err == nil {
		t.Error("an unknown loss is learned")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	c, err := Recipe("epinions", bilevel.LossSP)
	require.NoError(t, err)
	if _, err := f.Run(ctx, c, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	for name, w := range map[string][]float64{"too few": {1}, "negative": slices.Repeat([]float64{-1}, 21), "NaN": slices.Repeat([]float64{math.NaN()}, 21)} {
		if _, err := f.Test.Infer(w, 0.1, infer.Settings{}); err == nil {
			t.Errorf("%s weights: no error", name)
		}
	}
	if _, err := f.Test.Infer(slices.Repeat([]float64{1}, 21), 0, infer.Settings{}); err == nil {
		t.Error("ε 0: no error")
	}
	if _, err := f.Test.Infer(slices.Repeat([]float64{1}, 21), 0.1, infer.Settings{Method: baselines.Subgradient{}, MaxIterations: 1}); err == nil {
		t.Error("inference that has not ended is scored")
	}
}

// Each data set and loss has the published parameters.
func TestRecipe(t *testing.T) {
	for _, set := range Names() {
		tolerance, gap := 0.1, 0.0
		if set == "yelp" {
			tolerance, gap = 1, 0.1
		}
		for _, loss := range bilevel.Losses {
			c, err := Recipe(set, loss)
			require.NoError(t, err)
			if c.Loss != loss || c.NegLog != 1e-3 || c.Epochs != 500 || c.Patience != 50 || c.MaxNorm != 25 || c.Keep != "last" || c.Gap != gap {
				t.Errorf("%s, %s: %+v", set, loss, c)
			}
			for what, v := range map[string]float64{"step": c.Step, "ε": c.Epsilon} {
				if v != 1e-3 && v != 1e-2 {
					t.Errorf("%s, %s: %s %v is not in the published range", set, loss, what, v)
				}
			}
			if loss.Bilevel() != (c.ProxWeight > 0) || loss.Bilevel() && (c.ConstraintTolerance != tolerance || c.InitialPenalty != 2 || c.InitialMultiplier != 0.1) {
				t.Errorf("%s, %s: %+v", set, loss, c)
			}
		}
	}
	c, _ := Recipe("citeseer", bilevel.LossBCE)
	if c.Step != 1e-2 || c.Epsilon != 1e-2 || c.EnergyCoefficient != 0 || c.PointStep != 1e-1 || c.ProxWeight != 1e-3 {
		t.Errorf("CiteSeer, BCE: %+v", c)
	}
	for _, name := range []string{"jester", ""} {
		if _, err := Recipe(name, bilevel.LossSP); err == nil {
			t.Errorf("there is a recipe for %q", name)
		}
	}
	if _, err := Recipe("cora", "none"); err == nil {
		t.Error("there is a recipe for no loss")
	}
}

// A fold is grounded once while it is in use.
func TestFoldCache(t *testing.T) {
	d := &folds{root: camps(t)}
	a, err := d.get("epinions", 1)
	require.NoError(t, err)
	if b, _ := d.get("epinions", 1); b != a {
		t.Error("the fold was made again")
	}
	c, err := d.get("epinions", 3)
	if err != nil || c == a || c.Learn.Template.Targets == 0 {
		t.Errorf("another fold: %v", err)
	}
	if _, err := d.get("epinions", 7); err == nil {
		t.Error("there is a fold 7")
	}
	var missing *learning.DataError
	if _, err := (&folds{root: t.TempDir()}).get("ddi", 0); !errors.As(err, &missing) {
		t.Errorf("without data: %v", err)
	}
}
