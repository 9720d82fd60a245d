package model

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// partitioned has data for all partitions and rules and options for one.
const partitioned = `{
	rules_here
	"predicates": {"P/1": {
		"observations": {"all": [["o"]], "learn": [["ol", 0.5]], "infer": ["oi.txt"]},
		"targets": {"learn": [["tl"]], "validation": [["tv"]], "infer": [["ti"]]}
	}},
	"options": {"duallcqp.regularizationparameter": 0.5, "parallel.numthreads": 3},
	"learn": {"rules": ["2: P(A) = 1"], "options": {"duallcqp.regularizationparameter": "0.25"}},
	"validation": {"options": {"DualLCQP.RegularizationParameter": 0.125}}
}`

func TestPartitions(t *testing.T) {
	src := strings.Replace(partitioned, "rules_here", `"rules": ["1: !P(A)"],`, 1)
	for _, test := range []struct {
		partition Partition
		atoms     string
		rules     int
		epsilon   float64
	}{
		{"", "P(o) P(oi) P(ti)", 1, 0.5},
		{Infer, "P(o) P(oi) P(ti)", 1, 0.5},
		{Learn, "P(o) P(ol) P(tl)", 2, 0.25},
		{Validation, "P(o) P(tv)", 1, 0.125},
	} {
		m := mustLoad(t, map[string]string{"model.json": src, "oi.txt": "oi\n"}, LoadOptions{Partition: test.partition})
		var atoms []string
		for a := range m.Data.Atoms("P") {
			atoms = append(atoms, "P("+a.Args[0]+")")
		}
		assert.Equalf(t, test.atoms, strings.Join(atoms, " "), "%s", test.partition)
		if len(m.Rules.Rules) != test.rules || m.Options.Epsilon != test.epsilon || m.Options.Threads != 3 {
			t.Errorf("%s: %d rules, options %+v", test.partition, len(m.Rules.Rules), m.Options)
		}
	}
	_, err := Load("m.json", LoadOptions{Partition: "lern"})
	assert.EqualError(t, err, `no partition "lern" (did you mean learn?)`, "an unknown partition")
}

// A model without common rules may have rules for one partition only.
func TestPartitionRules(t *testing.T) {
	mustLoad(t, map[string]string{"model.json": strings.Replace(partitioned, "rules_here", "", 1), "oi.txt": "oi\n"}, LoadOptions{Partition: Learn})
	_, err := Load("model.json", LoadOptions{})
	assert.ErrorContains(t, err, "no rules")
}

// The name decides the language.
func TestLoadYAML(t *testing.T) {
	yaml := "rules: rules.psl\npredicates:\n  P/1: {targets: [[a], [b]]}\n"
	for _, name := range []string{"model.yaml", "model.YML"} {
		dir := folder(t, map[string]string{name: yaml, "rules.psl": "1: !P(A)"})
		m, err := Load(filepath.Join(dir, name), LoadOptions{})
		if err != nil || m.Data.Targets() != 2 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestLoadMissing(t *testing.T) {
	dir := t.TempDir()
	_, err := Load(filepath.Join(dir, "model.json"), LoadOptions{})
	assert.ErrorContains(t, err, "model.json", "a missing model")
	if _, err := Load(dir, LoadOptions{}); err == nil {
		t.Error("a folder was read as model")
	}
	// A file that is too large is not read whole.
	f, err := os.Create(filepath.Join(dir, "big.json"))
	require.NoError(t, err)
	if err := f.Truncate(1 << 40); err != nil {
		t.Skip("the file system has no holes:", err)
	}
	f.Close()
	_, err = Load(f.Name(), LoadOptions{})
	assert.ErrorContains(t, err, "more than 16 MiB", "a file of 1 TiB")
}
