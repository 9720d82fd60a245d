package model

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/symbolic/facts"
	"hinge/symbolic/ground"
	"hinge/symbolic/psl"
)

// FuzzModel reads model files of any kind, in both languages. Each gives a
// model that can be used or an error of a documented type, with a place. Paths
// lead into an empty folder.
func FuzzModel(f *testing.F) {
	for _, s := range []string{
		smokers, wrap(`'targets': [['a'], ['b', 0.5]], 'truth': {'infer': [['a']]}, 'evaluations': ['AUCEvaluator']`),
		withOptions(`'inference.relax': true, 'runtime.db.intids': true, 'x': 1`),
		`{'rules': [{'rule': 'P(A) + P(+B) <= |B| {B: Q(B)}', 'weight': 2, 'squared': true}, 'P(A) = 1 .'], 'predicates': {'P/1': {'targets': [[1]]}, 'Q': {'types': ['Long'], 'observations': [[1]]}}}`,
		"rules:\n  - '1: !P(A)'\npredicates:\n  P/1: {targets: [[a]], observations: {infer: [x.txt]}}",
	} {
		f.Add(s, strings.HasPrefix(s, "rules:"))
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, src string, yaml bool) {
		if len(src) > 1<<14 || strings.Contains(src, "/") && strings.Contains(src, "rules") && !strings.Contains(src, "[") {
			return
		}
		name := "fuzz.json"
		if yaml {
			name = "fuzz.yaml"
		}
		m, err := parse(name, []byte(src), LoadOptions{Partition: Infer, Data: dir})
		if err != nil {
			if !errors.As(err, new(*Error)) && !errors.As(err, new(*psl.Error)) && !errors.As(err, new(*facts.Error)) || !strings.Contains(err.Error(), "fuzz.") {
				t.Fatalf("an error of type %T without a place: %v", err, err)
			}
			return
		}
		opts := m.GroundOptions()
		opts.MaxRows = 1000
		p, err := ground.Ground(context.Background(), m.Rules, m.Data, opts)
		if err != nil {
			return // rules and data may not fit
		}
		require.NoError(t, p.Check())
		_, err = m.Evaluate(make([]float64, m.Data.Targets()), make([]float64, m.Data.DeepAtoms()))
		require.NoError(t, err)
	})
}
