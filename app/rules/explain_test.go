package rules

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/symbolic/rulemining"
)

// TestParseFact: names may hold brackets and commas.
func TestParseFact(t *testing.T) {
	l := &links{relation: map[string]int32{"r": 0, `rel "x", y(z)`: 1, "r(s": 2}, entity: map[string]int32{"a": 0, "b, c": 1, "s(d)": 2}}
	for text, want := range map[string]rulemining.Triple{
		"r(a, b, c)":             {Head: 0, Relation: 0, Tail: 1},
		` rel "x", y(z) (a, ?)`:  {Head: 0, Relation: 1, Tail: -1},
		`rel "x", y(z)(s(d), a)`: {Head: 2, Relation: 1, Tail: 0},
		"r(s(?, s(d))":           {Head: -1, Relation: 2, Tail: 2},
	} {
		got, err := l.parseFact(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, got, text)
	}
	for _, text := range []string{"r", "r(a, b, c", "q(a, a)", "r(a)", "r(?, ?)", "r(a, x)"} {
		_, err := l.parseFact(text)
		assert.Error(t, err, text)
	}
}
