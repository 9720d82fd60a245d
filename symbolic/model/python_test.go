package model

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/symbolic/evaluate"
)

// TestNamesOfPython: the Python package knows all names of methods and evaluators, and no others.
func TestNamesOfPython(t *testing.T) {
	text, err := os.ReadFile("../../app/python/hinge/program.py")
	require.NoError(t, err)
	evaluators := strings.Split(strings.Join(evaluate.Names(), "Evaluator ")+"Evaluator", " ")
	for tuple, names := range map[string][]string{
		"METHODS": sortedKeys(methods), "LEARNERS": slices.Concat(Learners(), []string{"energy", "sp", "mse", "bce"}), "EVALUATORS": evaluators,
	} {
		require.Contains(t, string(text), "\n"+tuple+" = ('"+strings.Join(names, "', '")+"')\n")
	}
}
