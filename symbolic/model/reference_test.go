package model

import (
	"path/filepath"
	"testing"

	"hinge/symbolic/ground"
)

// A model as people write them for the reference: comments of all kinds, paths
// that go up, learn and infer partitions, typed arguments, evaluators as names
// and as objects, options that mean nothing here.
func TestReferenceStyle(t *testing.T) {
	model := `{
    "options": {
        "runtime.db.intids": true,
        "runtime.learn.method": "SquaredError", /* not here */
        "admmreasoner.maxiterations": 500
    },
    "rules": [
        // Neighbor has cat => has cat.
        "1.0: HasCat(A, C) & Link(A, B) & (A != B) >> HasCat(B, C) ^2",
        # Per category rules.
        "1.0: HasCat(A, '1') & Link(A, B) >> HasCat(B, '1') ^2",
        "HasCat(A, +C) = 1 .",
        "0.001: !HasCat(A, N) ^2",
    ],
    "predicates": {
        "Link/2": {
            "observations": {
                "learn": ["../data/citeseer/0/learn/link_obs.txt"],
                "infer": ["../data/citeseer/0/eval/link_obs.txt"]
            }
        },
        "HasCat/2": {
            "types": ["UniqueIntID", "UniqueStringID"],
            "evaluations": [{
                "evaluator": "CategoricalEvaluator",
                "primary": true,
                "options": {"categoricalevaluator.categoryindexes": 1, "eval.includeobs": true}
            }],
            "observations": {"infer": [["1", "1"], [1, "2", 0]]},
            "targets": {
                "learn": ["../data/citeseer/0/learn/hasCat_targets.txt"],
                "infer": ["../data/citeseer/0/eval/hasCat_targets.txt"]
            },
            "truth": {"infer": ["../data/citeseer/0/eval/hasCat_truth.txt"]}
        }
    }
}`
	dir := folder(t, map[string]string{
		"citeseer/cli/citeseer.json":                           model,
		"citeseer/data/citeseer/0/eval/link_obs.txt":           "1\t2\n2\t3\n",
		"citeseer/data/citeseer/0/eval/hasCat_targets.txt.gz":  "2\t1\n2\t2\n3\t1\n3\t2\n",
		"citeseer/data/citeseer/0/eval/hasCat_truth.txt":       "2\t1\t1\n2\t2\t0\n3\t1\t1\n3\t2\t0\n",
		"citeseer/data/citeseer/0/learn/link_obs.txt":          "7\t8\n",
		"citeseer/data/citeseer/0/learn/hasCat_targets.txt.gz": "7\t1\n8\t1\n",
	})
	path := filepath.Join(dir, "citeseer", "cli", "citeseer.json")
	m, err := Load(path, LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := m.Data.Predicates(); got[0] != (ground.PredicateInfo{Name: "Link", Arity: 2, Observations: 2}) ||
		got[1] != (ground.PredicateInfo{Name: "HasCat", Arity: 2, Observations: 2, Targets: 4, Truths: 4}) {
		t.Errorf("data %+v", got)
	}
	if len(m.Unused) != 0 || m.Options.Learning.Method != "mse" || !m.Evaluations[0].Primary || !m.Learns || !m.Infers {
		t.Errorf("unused %v, options %+v, evaluations %+v", m.Unused, m.Options, m.Evaluations[0])
	}
	if m, err = Load(path, LoadOptions{Partition: Learn}); err != nil || m.Data.Targets() != 2 {
		t.Errorf("learn: %v", err)
	}
	// The data folder of another split.
	if m, err = Load(path, LoadOptions{Data: filepath.Join(dir, "citeseer", "data")}); err != nil || m.Data.Targets() != 4 {
		t.Errorf("-data: %v", err)
	}
}
