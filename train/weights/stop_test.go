package weights_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"hinge/bilevel"
	"hinge/optim"
	"hinge/train/weights"
)

// scripted is a score that ignores the values and follows a script; after its
// end it repeats the last.
func scripted(script ...float64) (func([]float64) (float64, error), *int) {
	calls := new(int)
	return func([]float64) (float64, error) {
		v := script[min(*calls, len(script)-1)]
		*calls++
		return v, nil
	}, calls
}

// A score that stops rising ends learning Patience epochs later; KeepBest returns
// the weights of its last best.
func TestPatience(t *testing.T) {
	tpl := compile(t, town, 6, map[int]float64{0: 1})
	labels := []float64{1, 1, 1, 0, 0}
	for _, loss := range bilevel.Losses {
		for _, keep := range []weights.Keep{weights.KeepLast, weights.KeepBest} {
			// Scores before steps 1, 4, 7, 10, …: the best after 6 steps.
			score, calls := scripted(10, 20, 30, 30, 25)
			c := weights.Config{Loss: loss, WeightOptions: optim.WeightOptions{Regularizer: optim.Regularizer{NegLog: 1e-3}}, Epochs: 100, ScoreEvery: 3, Patience: 7, Keep: keep}
			r := learn(t, weights.Problem{Template: tpl, Labels: labels, Score: score}, c)
			if r.Stopped != weights.StoppedPatience || r.BestEpoch != 6 || r.BestScore != 30 || r.Epochs != 15 {
				t.Errorf("%s: %s after %d epochs, best %v after %d", loss, r.Stopped, r.Epochs, r.BestScore, r.BestEpoch)
			}
			scores := 5
			want := r.Epochs
			if keep == weights.KeepBest {
				scores, want = 6, 9
			}
			if r.Kept != want {
				t.Errorf("%s, keep %s: weights of %d epochs, want %d", loss, keep, r.Kept, want)
			}
			if *calls != scores {
				t.Errorf("%s: %d scores, want %d", loss, *calls, scores)
			}
			c.Epochs, c.Keep = want, weights.KeepLast
			plain := learn(t, weights.Problem{Template: tpl, Labels: labels}, c)
			// Without a score bilevel losses test their outer loop the same.
			if !slices.Equal(plain.Weights, r.Weights) {
				t.Errorf("%s, keep %s: %v, after %d epochs %v", loss, keep, r.Weights, want, plain.Weights)
			}
		}
	}
}

// The weights after the last step can be the best ones.
func TestBestIsLast(t *testing.T) {
	tpl := compile(t, town, 4, map[int]float64{0: 1})
	score, calls := scripted(1, 2, 3)
	r := learn(t, weights.Problem{Template: tpl, Labels: []float64{1, 0, 0}, Score: score},
		weights.Config{Loss: bilevel.LossSP, WeightOptions: optim.WeightOptions{Regularizer: optim.Regularizer{NegLog: 1e-3}}, Epochs: 10, Keep: weights.KeepBest})
	if r.BestEpoch != 10 || r.Kept != 10 || r.BestScore != 3 || *calls != 3 {
		t.Errorf("best %v after %d epochs, %d scores", r.BestScore, r.BestEpoch, *calls)
	}
}

// Negative patience never ends, and without a score there is none.
func TestNoPatience(t *testing.T) {
	tpl := compile(t, town, 4, map[int]float64{0: 1})
	p := weights.Problem{Template: tpl, Labels: []float64{1, 0, 0}}
	r := learn(t, p, weights.Config{Loss: bilevel.LossEnergy, WeightOptions: optim.WeightOptions{Regularizer: optim.Regularizer{NegLog: 1e-3}}, Epochs: 80})
	if r.Epochs != 80 || !math.IsNaN(r.BestScore) || r.BestEpoch != 0 {
		t.Errorf("%d epochs, best %v after %d", r.Epochs, r.BestScore, r.BestEpoch)
	}
	p.Score, _ = scripted(1)
	r = learn(t, p, weights.Config{Loss: bilevel.LossEnergy, WeightOptions: optim.WeightOptions{Regularizer: optim.Regularizer{NegLog: 1e-3}}, Epochs: 80, Patience: -1})
	if r.Epochs != 80 || r.BestScore != 1 {
		t.Errorf("%d epochs, best %v", r.Epochs, r.BestScore)
	}
}

// mse and bce end when M − V is small, which it is at once where the labels are
// what is inferred anyway.
func TestGap(t *testing.T) {
	tpl := compile(t, "1: Friends(A, B) & Smokes(A) -> Smokes(B) ^2\n1: Person(A) -> Smokes(A) ^2\n", 5, map[int]float64{0: 1})
	for _, loss := range []bilevel.LossName{bilevel.LossMSE, bilevel.LossBCE} {
		r := learn(t, weights.Problem{Template: tpl, Labels: []float64{1, 1, 1, 1}}, weights.Config{Loss: loss, WeightOptions: optim.WeightOptions{Regularizer: optim.Regularizer{NegLog: 1e-3}}})
		if r.Stopped != weights.StoppedGap || r.Epochs != 5 { // the first test is after 5 epochs
			t.Errorf("%s: %s after %d epochs", loss, r.Stopped, r.Epochs)
		}
	}
}

// A context that ends ends learning with its error; observers hear of each epoch.
func TestContextAndProgress(t *testing.T) {
	tpl := compile(t, town, 4, map[int]float64{0: 1})
	for _, loss := range bilevel.Losses {
		ctx, cancel := context.WithCancel(context.Background())
		var epochs []int
		scored := 0
		score, _ := scripted(7)
		var last []float64
		r, err := weights.Learn(ctx, weights.Problem{Template: tpl, Labels: []float64{1, 0, 0}, Score: score},
			weights.Config{Loss: loss, WeightOptions: optim.WeightOptions{Regularizer: optim.Regularizer{NegLog: 1e-3}}, ScoreEvery: 2}, func(p weights.Progress) {
				epochs = append(epochs, p.Epoch)
				if !math.IsNaN(p.Score) {
					scored++
				}
				if p.Terms.Samples != 1 || math.IsNaN(p.Terms.Lagrangian) {
					t.Errorf("%s: terms %+v", loss, p.Terms)
				}
				last = slices.Clone(p.Weights)
				if p.Epoch == 5 {
					cancel()
				}
			})
		if !errors.Is(err, context.Canceled) || !slices.Equal(epochs, []int{1, 2, 3, 4, 5}) || scored != 3 {
			t.Errorf("%s: %v after the epochs %v, %d scores", loss, err, epochs, scored)
		}
		// What was learned until then is that of as many epochs.
		c := weights.Config{Loss: loss, WeightOptions: optim.WeightOptions{Regularizer: optim.Regularizer{NegLog: 1e-3}}, ScoreEvery: 2, Epochs: 5}
		if want := learn(t, weights.Problem{Template: tpl, Labels: []float64{1, 0, 0}}, c); r == nil || r.Epochs != 5 || !slices.Equal(r.Weights, want.Weights) || !slices.Equal(r.Weights, last) {
			t.Errorf("%s: interrupted: %+v, want %v", loss, r, want.Weights)
		}
		// Before the first epoch there is nothing.
		if r, err := weights.Learn(ctx, weights.Problem{Template: tpl, Labels: []float64{1, 0, 0}}, c, nil); r != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %+v, %v", loss, r, err)
		}
	}
}

// With a gap inference stops early, and what is learned differs by a share of how far
// learning moves the weights: two thousandths at 1e-4, a twentieth at 1e-2, more at 0.1. With
// energy all is labelled, and there is nothing to infer.
func TestLooseInference(t *testing.T) {
	tpl := compile(t, town, 9, map[int]float64{0: 1, 4: 0})
	labels := []float64{1, 1, 0, 0, 0, 1, 1}
	for _, loss := range bilevel.Losses {
		p := weights.Problem{Template: tpl, Labels: labels}
		c := weights.Config{Loss: loss, WeightOptions: optim.WeightOptions{Regularizer: optim.Regularizer{NegLog: 1e-3}}, Epochs: 30}
		exact, moved := learn(t, p, c), 0.0
		for _, w := range exact.Weights {
			moved = max(moved, math.Abs(w-1/float64(len(exact.Weights)))) // from equal ones
		}
		for _, gap := range []struct{ size, least, most float64 }{{1e-4, 0, 2e-3}, {1e-2, 0, 0.05}, {0.1, 1e-2, 0.2}} {
			c.Gap = gap.size
			worst := 0.0
			for i, w := range learn(t, p, c).Weights {
				worst = max(worst, math.Abs(w-exact.Weights[i]))
			}
			if loss == bilevel.LossEnergy {
				gap.least = 0
			}
			if worst > gap.most*moved || worst < gap.least*moved {
				t.Errorf("%s: the weights move by %v; with a gap of %v they end %v away", loss, moved, gap.size, worst)
			}
		}
	}
}
