package model

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/symbolic/ground"
)

// Warnings about many rules take milliseconds, and name the places.
func TestIdleRules(t *testing.T) {
	const n = 10000
	src := `{"rules": [`
	for i := range n - 1 {
		src += fmt.Sprintf(`"1: Q(A) & A != 'c%d' -> P(A)", `, i)
	}
	src += `"0: !P(A)"], "predicates": {"P/1": {"targets": [["a"]]}, "Q/1": {"observations": [["a"]]}}}`
	m := mustLoad(t, map[string]string{"model.json": src}, LoadOptions{})
	program, err := ground.Ground(context.Background(), m.Rules, m.Data, m.GroundOptions())
	require.NoError(t, err)
	begin := time.Now()
	list := m.Idle(program)
	assert.Less(t, time.Since(begin), time.Second)
	require.Len(t, list, 1)
	assert.Equal(t, strings.Index(src, `0: !P`)+1, list[0].Pos.Col)
}
