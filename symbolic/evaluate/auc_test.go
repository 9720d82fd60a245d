package evaluate

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// Over random samples the areas equal their definitions: the share of ordered
// pairs, and the trapezoids over every prefix of the ranking.
func TestAUCAgainstDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 0))
	for round := range 300 {
		n := 1 + rng.IntN(30)
		ties := round%2 == 0
		var pairs []float64
		for range n {
			v := rng.Float64()
			if ties {
				v = float64(rng.IntN(5)) / 4
			}
			pairs = append(pairs, v, float64(rng.IntN(2)))
		}
		s := sample(pairs...)
		ordered, total := 0.0, 0.0
		for _, p := range s.Labelled {
			for _, q := range s.Labelled {
				if p.Truth != 1 || q.Truth != 0 {
					continue
				}
				total++
				switch {
				case p.Value > q.Value:
					ordered++
				case p.Value == q.Value:
					ordered += 0.5
				}
			}
		}
		r, err := (&AUC{Threshold: 0.5}).Evaluate(s)
		require.NoError(t, err)
		if auc, _ := r.Get("auroc"); total > 0 && math.Abs(auc-ordered/total) > 1e-12 {
			t.Fatalf("round %d: auroc %v, the pairs say %v", round, auc, ordered/total)
		}
		for class, name := range []string{"negative_auprc", "positive_auprc"} {
			if got, _ := r.Get(name); math.Abs(got-areaByThresholds(s, float64(class))) > 1e-12 {
				t.Fatalf("round %d: %s %v, want %v", round, name, got, areaByThresholds(s, float64(class)))
			}
		}
		// Lowest first is highest first of the values upside down.
		down := &Sample{Arity: s.Arity}
		for _, a := range s.Labelled {
			a.Value = 1 - a.Value
			down.Labelled = append(down.Labelled, a)
		}
		if got, _ := r.Get("lowest_first_auprc"); math.Abs(got-areaByThresholds(down, 0)) > 1e-12 {
			t.Fatalf("round %d: lowest_first_auprc %v, want %v", round, got, areaByThresholds(down, 0))
		}
	}
}

// areaByThresholds computes precision and recall anew at every value.
func areaByThresholds(s *Sample, class float64) float64 {
	all := 0.0
	for _, a := range s.Labelled {
		if a.Truth == class {
			all++
		}
	}
	if all == 0 {
		return 0
	}
	area, recall, precision := 0.0, 0.0, 1.0
	for threshold := math.Inf(1); ; {
		next := math.Inf(-1)
		for _, a := range s.Labelled {
			if a.Value < threshold {
				next = max(next, a.Value)
			}
		}
		if math.IsInf(next, -1) {
			return area
		}
		threshold = next
		hits, seen := 0.0, 0.0
		for _, a := range s.Labelled {
			if a.Value >= threshold {
				seen++
				if a.Truth == class {
					hits++
				}
			}
		}
		area += (hits/all - recall) * (precision + hits/seen) / 2
		recall, precision = hits/all, hits/seen
	}
}

// Values that are not numbers rank last instead of breaking the order.
func TestAUCNaN(t *testing.T) {
	want(t, &AUC{Threshold: 0.5}, sample(math.NaN(), 0, 0.1, 1, math.NaN(), 0), map[string]float64{"auroc": 1})
}

// Noise in the last bits orders nothing.
func TestAUCNoise(t *testing.T) {
	want(t, &AUC{Threshold: 0.5}, sample(0.5+1e-9, 1, 0.5, 0, 0.5-1e-10, 1, 0.5+1e-12, 0),
		map[string]float64{"auroc": 0.5, "positive_auprc": 0.75, "negative_auprc": 0.75})
	// A difference that counts still counts.
	want(t, &AUC{Threshold: 0.5}, sample(0.5, 0, 0.50001, 1), map[string]float64{"auroc": 1})
}

// A true value at the threshold is positive, as for Discrete.
func TestAUCThreshold(t *testing.T) {
	r, err := (&AUC{Threshold: 0.6}).Evaluate(sample(0.9, 0.6, 0.8, 0.6, 0.2, 0, 0.1, 0))
	require.NoError(t, err)
	require.Equal(t, Metric{"auroc", 1}, r.Metrics[0])
}

// No area is above 1, and that of a perfect ranking is 1 for every number of atoms: tenths add up to less, 49ths to more.
func TestAUCOfPerfectRankings(t *testing.T) {
	for n := 1; n <= 100; n++ {
		s := Sample{Arity: 1}
		for i := range n {
			s.Labelled = append(s.Labelled, Atom{Value: 0.5 + float64(i)/200, Truth: 1}, Atom{Value: float64(i) / 300, Truth: 0})
		}
		r, err := (&AUC{Threshold: 0.5}).Evaluate(&s)
		for _, name := range []string{"auroc", "positive_auprc", "lowest_first_auprc"} {
			if v, ok := r.Get(name); err != nil || !ok || v != 1 {
				t.Errorf("%d atoms of each class: %s is %v, %v", n, name, v, err)
			}
		}
	}
}

// TestAUCOfOneKind: of true atoms alone, or of false ones, the areas are what the comments of auroc and auprc say.
func TestAUCOfOneKind(t *testing.T) {
	for truth, areas := range map[float64]map[string]float64{
		0: {"auroc": 0, "positive_auprc": 0},
		1: {"auroc": 1, "positive_auprc": 1},
	} {
		want(t, &AUC{Threshold: 0.5}, sample(0.2, truth, 0.7, truth, 0.4, truth), areas)
	}
}
