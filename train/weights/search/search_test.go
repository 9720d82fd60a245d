package search_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/train/weights/search"
)

// methods are all, with few trials.
var methods = []search.Method{
	search.Grid{Values: []float64{0.1, 1, 10}}, search.RandomGrid{Locations: 20}, search.GuidedRandomGrid{Seeds: 8, Explore: 3},
	search.ContinuousRandom{Draws: search.Draws{Alpha: 0.5}, Locations: 60}, search.Hyperband{Draws: search.Draws{Uniform: true}, Size: 4, Brackets: 3, Survival: 2},
	search.GaussianProcess{Draws: search.Draws{Alpha: 0.5}, Candidates: 2000, Full: true},
}

// hill is largest where the second of three weights is 10 times the first and the third
// is as the first; a common factor does not matter.
func hill(w []float64) float64 {
	a, b := math.Log10(w[1]/w[0])-1, math.Log10(w[2]/w[0])
	return 1 / (1 + a*a + b*b)
}

func problem() search.Problem {
	return search.Problem{Start: []float64{1, 1, 1}, Score: func(_ context.Context, w []float64, budget float64) (float64, error) {
		return budget * hill(w), nil
	}}
}

// Every method finds a good point, tells of each trial, and is deterministic.
func TestMethods(t *testing.T) {
	for _, m := range methods {
		p := problem()
		var scores []float64
		p.Observe = func(n int, w []float64, score float64) {
			scores = append(scores, score)
			if n != len(scores) || len(w) != 3 || slices.Min(w) <= 0 {
				t.Errorf("%s: trial %d, weights %v", m.Name(), n, w)
			}
		}
		r, err := search.Run(context.Background(), p, m, "")
		require.NoError(t, err)
		if r.Trials != len(scores) || r.Score != hill(r.Weights) || scores[r.At-1] != r.Score || slices.Max(scores) != r.Score {
			t.Errorf("%s: %+v of %v", m.Name(), r, scores)
		}
		if want := map[string]float64{"GridSearch": 1, "GaussianProcessPrior": 0.8}[m.Name()]; r.Score < max(want, 0.3) {
			t.Errorf("%s: the best of %d is %v, %v", m.Name(), r.Trials, r.Weights, r.Score)
		}
		again, err := search.Run(context.Background(), problem(), m, "")
		if err != nil || !reflect.DeepEqual(r, again) {
			t.Errorf("%s: %+v and then %+v, %v", m.Name(), r, again, err)
		}
	}
}

// With as many trials, Bayesian optimisation finds better points than draws alone, if
// it is told to explore less than by default.
func TestGaussianBeatsDraws(t *testing.T) {
	gaussian, draws := 0.0, 0.0
	for seed := range uint64(8) {
		for _, m := range []search.Method{
			search.GaussianProcess{Draws: search.Draws{Alpha: 0.5}, Candidates: 1000, Trials: 20, Relevance: 0.1, Explore: 0.5, Full: true}, search.ContinuousRandom{Draws: search.Draws{Alpha: 0.5}, Locations: 20},
		} {
			p := problem()
			p.Seed = seed
			r, err := search.Run(context.Background(), p, m, "")
			require.NoError(t, err)
			if m.Name() == "GaussianProcessPrior" {
				gaussian += r.Score / 8
			} else {
				draws += r.Score / 8
			}
		}
	}
	if t.Logf("mean best score %.3f, of draws %.3f", gaussian, draws); !(gaussian > draws) {
		t.Errorf("mean best score %v, of draws %v", gaussian, draws)
	}
}

// Brackets and budgets of Hyperband are the reference's, and a full grid is tried in
// full.
func TestTrials(t *testing.T) {
	budgets := map[float64]int{}
	p := problem()
	p.Score = func(_ context.Context, w []float64, budget float64) (float64, error) {
		budgets[budget]++
		return w[0], nil
	}
	_, err := search.Run(context.Background(), p, search.Hyperband{}, "")
	require.NoError(t, err)
	// 10; 20 → 5; 54 → 13 → 3; 160 → 40 → 10 → 2.
	assert.Equal(t, map[float64]int{1: 10 + 5 + 3 + 2, 0.25: 20 + 13 + 10, 1. / 16: 54 + 40, 1. / 64: 160}, budgets, "budgets")
	for i, m := range []search.Method{
		search.RandomGrid{}, search.GuidedRandomGrid{Locations: 30}, search.ContinuousRandom{}, search.GaussianProcess{Candidates: 10, Full: true},
	} {
		want := []int{125, 30, 250, 11}[i]
		if r, err := search.Run(context.Background(), problem(), m, ""); err != nil || r.Trials != want {
			t.Errorf("%s: %d trials, want %d, %v", m.Name(), r.Trials, want, err)
		}
	}
	if r, err := search.Run(context.Background(), problem(), search.Grid{}, ""); err != nil || r.Trials != 125 || r.Score != 1 {
		t.Errorf("grid: %+v, %v", r, err)
	}
}

// A search that is interrupted has the best so far, and its journal takes it on
// without a trial twice.
func TestResume(t *testing.T) {
	for _, m := range methods {
		whole, err := search.Run(context.Background(), problem(), m, "")
		require.NoError(t, err)
		journal := filepath.Join(t.TempDir(), "search.jsonl")
		for _, stop := range []int{3, 7, 1 << 30} {
			ctx, cancel := context.WithCancel(context.Background())
			p, calls := problem(), 0
			score := p.Score
			p.Score = func(ctx context.Context, w []float64, budget float64) (float64, error) {
				calls++
				return score(ctx, w, budget)
			}
			p.Observe = func(n int, _ []float64, _ float64) {
				if n == stop {
					cancel()
				}
			}
			r, err := search.Run(ctx, p, m, journal)
			cancel()
			if stop < whole.Trials {
				// Hyperband may have no trial with the whole budget so far.
				if !errors.Is(err, context.Canceled) || r != nil && r.Trials != stop || calls > 4 {
					t.Errorf("%s, stopped at %d: %+v, %v after %d scores", m.Name(), stop, r, err, calls)
				}
			} else if err != nil || !reflect.DeepEqual(r, whole) || calls != whole.Trials-7 {
				t.Errorf("%s: %+v after %d scores, %v, want %+v", m.Name(), r, calls, err, whole)
			}
		}
		// Another search does not take the journal.
		p := problem()
		p.Seed, p.Start = 9, []float64{2, 1, 1, 1}
		if _, err := search.Run(context.Background(), p, m, journal); err == nil || !strings.Contains(err.Error(), "is of another search") {
			t.Errorf("%s: a journal of another search: %v", m.Name(), err)
		}
	}
}

func TestMistakes(t *testing.T) {
	broken := filepath.Join(t.TempDir(), "broken")
	require.NoError(t, os.WriteFile(broken, []byte("x\n"), 0o666))
	failed := errors.New("no score today")
	for want, run := range map[string]func(p search.Problem) (*search.Result, error){
		"there are no weights": func(p search.Problem) (*search.Result, error) {
			p.Start = nil
			return search.Run(context.Background(), p, search.Grid{}, "")
		},
		"use RandomGridSearch": func(p search.Problem) (*search.Result, error) {
			p.Start = make([]float64, 20)
			return search.Run(context.Background(), p, search.Grid{}, "")
		},
		"no possible weight above 0": func(p search.Problem) (*search.Result, error) {
			return search.Run(context.Background(), p, search.RandomGrid{Values: []float64{0}}, "")
		},
		"is not a finite number": func(p search.Problem) (*search.Result, error) {
			return search.Run(context.Background(), p, search.GuidedRandomGrid{Values: []float64{-1}}, "")
		},
		"one in 1 survives": func(p search.Problem) (*search.Result, error) {
			return search.Run(context.Background(), p, search.Hyperband{Survival: 1}, "")
		},
		"Space \"XS\"": func(p search.Problem) (*search.Result, error) {
			return search.Run(context.Background(), p, search.GaussianProcess{Space: "XS"}, "")
		},
		"broken:1": func(p search.Problem) (*search.Result, error) {
			return search.Run(context.Background(), p, search.Grid{}, broken)
		},
		"no score today": func(p search.Problem) (*search.Result, error) {
			p.Score = func(context.Context, []float64, float64) (float64, error) { return 0, failed }
			return search.Run(context.Background(), p, search.Grid{}, "")
		},
		"trial 1 is NaN": func(p search.Problem) (*search.Result, error) {
			p.Score = func(context.Context, []float64, float64) (float64, error) { return math.NaN(), nil }
			return search.Run(context.Background(), p, search.Grid{}, "")
		},
	} {
		if r, err := run(problem()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %+v, %v", want, r, err)
		}
	}
}

func ExampleRun() {
	score := func(_ context.Context, w []float64, _ float64) (float64, error) {
		return -math.Abs(w[0] - 10*w[1]), nil
	}
	r, err := search.Run(context.Background(), search.Problem{Start: []float64{1, 1}, Score: score}, search.Grid{}, "")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Weights, r.Trials)
	// Output: [0.01 0.001] 25
}
