package rules

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/train/exit"
)

// Stories of two steps teach which relation holds between the ends of longer ones.
func TestAskRelation(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	var files [4]strings.Builder
	for story := range 400 {
		steps, to := 2, 0
		if story%10 == 0 {
			steps, to = 6, 1+story/10%2
		}
		total := 0
		for i := range steps {
			k := rng.IntN(4)
			total = (total + k) % 4
			fmt.Fprintf(&files[3], "s%d.%d\tturn %d\ts%d.%d\n", story, i, k, story, i+1)
		}
		fmt.Fprintf(&files[to], "s%d.0\tturn %d\ts%d.%d\n", story, total, story, steps)
	}
	data := folder(t, files[0].String(), files[1].String(), files[2].String())
	require.NoError(t, os.WriteFile(filepath.Join(data, "facts.txt"), []byte(files[3].String()), 0o644))
	code, stdout, stderr := command(t, "-data", data, "-out", filepath.Join(t.TempDir(), "run"), "-rounds", "3", "-length", "2", "-ask", "relation")
	require.Equal(t, exit.OK, code, stderr)
	var r result
	require.NoError(t, json.Unmarshal([]byte(stdout), &r))
	assert.Equal(t, 1.0, *r.TestHits1)
	code, _, stderr = command(t, "-data", family(t), "-out", filepath.Join(t.TempDir(), "rules.psl"), "-rounds", "1")
	assert.True(t, code == exit.Usage && strings.Contains(stderr, "rules.psl are written in it"), stderr)
	code, _, stderr = command(t, "-data", family(t), "-out", filepath.Join(t.TempDir(), "run"), "-rounds", "1", "-ask", "word", "-quiet")
	assert.Equal(t, exit.Usage, code)
	assert.Contains(t, stderr, `-ask "word" is none of entity, relation`)
}

// A fact of an entity with itself is no step: all variables of a rule stand for different entities. So nothing
// speaks for a relation from n to m, and the one asked for shares two ranks with gp, all others being known.
func TestAskRelationOfALoop(t *testing.T) {
	train := "n\tpar\tn\nn\tpar\tm\nn\tlikes\tq\n"
	for i := range 12 {
		train += fmt.Sprintf("a%d\tpar\tb%d\nb%d\tpar\tc%d\n", i, i, i, i)
		if i > 0 {
			train += fmt.Sprintf("a%d\tgp\tc%d\n", i, i)
		}
	}
	data := folder(t, train, "n\tlikes\tm\n", "a0\tgp\tc0\nn\tknows\tm\n")
	code, stdout, stderr := command(t, "-data", data, "-out", filepath.Join(t.TempDir(), "run"), "-rounds", "2", "-length", "2", "-ask", "relation", "-quiet")
	require.Equal(t, exit.OK, code, stderr)
	var r result
	require.NoError(t, json.Unmarshal([]byte(stdout), &r))
	assert.InDelta(t, 1/1.5, r.ValidMRR, 1e-9)
	assert.InDelta(t, (1+1/1.5)/2, *r.TestMRR, 1e-9)
}
