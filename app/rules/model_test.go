package rules

import (
	"encoding/csv"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/app/watch"
	"hinge/symbolic/ground"
	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
	"hinge/symbolic/model"
	"hinge/train/exit"
)

// TestNamesOfSources: names with tabs and line ends, which a folder of facts cannot have, are in the written model what
// they were, and take no more fields of a table.
func TestNamesOfSources(t *testing.T) {
	dir := t.TempDir()
	path, out := filepath.Join(dir, "model.json"), filepath.Join(dir, "run")
	rows := [][]string{{"who", "where"}}
	for i := range 60 {
		rows = append(rows, []string{fmt.Sprintf("%s%d", []string{"a", "a\tb", "a\r\nb", "\"a"}[i%4], i), fmt.Sprintf("b\t%d", i%4)})
	}
	var text strings.Builder
	require.NoError(t, csv.NewWriter(&text).WriteAll(rows))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "rows.csv"), []byte(text.String()), 0o644))
	source := `/2": {"observations": [{"csv": "rows.csv"}]}`
	require.NoError(t, os.WriteFile(path, []byte(`{"predicates": {"Lives`+source+`, "Works`+source+`}}`), 0o644))
	code, _, stderr := command(t, "-data", path, "-out", out, "-rounds", "1", "-adds", "2")
	require.Equal(t, exit.OK, code, stderr)
	m, err := model.Load(filepath.Join(out, "model.json"), model.LoadOptions{})
	require.NoError(t, err)
	l, err := read(path)
	require.NoError(t, err)
	for relation, name := range l.names.Relations {
		var want, got [][]string
		for _, f := range byRelation(l.train, 2)[relation] {
			want = append(want, []string{l.names.Entities[f.Head], l.names.Entities[f.Tail]})
		}
		for a := range m.Data.Atoms(name) {
			got = append(got, slices.Clone(a.Args))
		}
		assert.Equal(t, want, got)
	}
	pairs := 0
	for a := range m.Data.Atoms("Found") {
		pairs++
		assert.Subset(t, l.names.Entities, a.Args[1:])
	}
	assert.Greater(t, pairs, 10)
	program, err := ground.Ground(t.Context(), m.Rules, m.Data, m.GroundOptions())
	require.NoError(t, err)
	assert.Positive(t, program.Constraints.Len(), "rules with names hold")
	for _, table := range []string{"rules.tsv", "adds.tsv"} {
		lines := strings.Split(strings.TrimSuffix(file(t, out, table), "\n"), "\n")
		for _, line := range lines {
			assert.Equal(t, strings.Count(lines[0], "\t"), strings.Count(line, "\t"), "%q", line)
		}
	}
}

// scored compares the most probable values of the model that a run has written with the scores of the run, of which they
// are one share, and returns the run and the number of scores that are not 0.
func scored(t *testing.T, partition model.Partition, args ...string) (r *run, n int) {
	o, err := parse(args, nil)
	require.NoError(t, err)
	m, err := model.Load(filepath.Join(o.out, "model.json"), model.LoadOptions{Partition: partition})
	require.NoError(t, err)
	program, err := ground.Ground(t.Context(), m.Rules, m.Data, m.GroundOptions())
	require.NoError(t, err)
	require.Zero(t, m.Options.Epsilon, "cmd/infer chooses one that does not show beside any weight")
	instance, err := lcqp.NewInstance(program, 1e-8)
	require.NoError(t, err)
	var solution infer.Result
	require.NoError(t, infer.Solve(instance, nil, infer.Settings{}, &solution))

	l, err := read(o.data)
	require.NoError(t, err)
	r = begin(o, l, watch.NewProgress("rules", os.Stderr, true))
	require.NoError(t, r.open())
	require.NoError(t, r.learn(t.Context()))
	f := newScorer(r)
	ratio := 0.0
	for a := range m.Data.Atoms("Found") {
		score := f.score(a.Args[0], a.Args[1], a.Args[2])
		y := solution.Y[a.Index]
		if score == 0 {
			assert.InDelta(t, 0, y, 1e-4)
			continue
		}
		if n++; ratio == 0 {
			ratio = y / score
		}
		assert.InDelta(t, ratio*score, y, 1e-3*y+1e-5, "%v: score %v", a.Args, score)
	}
	return r, n
}

// TestLongPathsInferTheScores: paths of four and five steps on which entities meet again hold in the written model where they do in the
// search, whichever end is asked for.
func TestLongPathsInferTheScores(t *testing.T) {
	rng, lines := rand.New(rand.NewPCG(3, 3)), map[string]bool{}
	for len(lines) < 90 {
		lines[fmt.Sprintf("e%d\tr%d\te%d", rng.IntN(14), rng.IntN(3), rng.IntN(14))] = true
	}
	list := slices.Sorted(maps.Keys(lines))
	rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	data := folder(t, strings.Join(list[20:], "\n"), strings.Join(list[:10], "\n"), strings.Join(list[10:20], "\n"))
	for _, length := range []string{"4", "5"} {
		args := []string{"-data", data, "-out", filepath.Join(t.TempDir(), "run"), "-rounds", "1", "-quiet", "-length", length}
		code, _, stderr := command(t, args...)
		require.Equal(t, exit.OK, code, stderr)
		_, n := scored(t, model.Infer, append(args, "-resume")...)
		assert.Greater(t, n, 50)
	}
}
