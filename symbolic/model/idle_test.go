package model

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/symbolic/ground"
)

// Warnings name the places of their rules.
func TestIdlePlace(t *testing.T) {
	src := `{"rules": ["1: Q(A) -> P(A)", "1: Q(A) & A != 'c' -> P(A)", "0: !P(A)"], "predicates": {"P/1": {"targets": [["a"]]}, "Q/1": {"observations": [["a"]]}}}`
	m := mustLoad(t, map[string]string{"model.json": src}, LoadOptions{})
	program, err := ground.Ground(context.Background(), m.Rules, m.Data, m.GroundOptions())
	require.NoError(t, err)
	list := m.Idle(program)
	require.Len(t, list, 1)
	assert.Equal(t, strings.Index(src, `0: !P`)+1, list[0].Pos.Col)
}
