package rules

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/app/watch"
	"hinge/symbolic/evaluate"
	"hinge/symbolic/model"
	"hinge/symbolic/psl"
	"hinge/symbolic/rulemining"
	"hinge/train/exit"
	runfolder "hinge/train/record"
	"hinge/train/ruleweights"
)

// scorer scores pairs by their names.
type scorer struct {
	*run
	f *rulemining.Firer
}

func newScorer(r *run) *scorer { return &scorer{r, rulemining.NewFirer(r.graph)} }

func (s *scorer) score(query, head, tail string) float64 {
	relation, end, side := query[:len(query)-5], query[len(query)-4:], 0
	if end == "head" {
		side = 1
	}
	m := s.models[s.links.relation[relation]]
	given, asked := s.links.entity[head], s.links.entity[tail]
	if side == 1 {
		given, asked = asked, given
	}
	scores := make([]float64, s.graph.Entities)
	s.f.Fire(m, rulemining.Query{Side: side, Given: given, Own: -1})
	s.f.Scores(m, side, rulemining.Cumulative(m.Weights[side]), scores)
	return scores[asked]
}

// family writes a folder of facts: everybody has two parents, and a grandparent is a parent's parent.
func family(t *testing.T) string {
	rng := rand.New(rand.NewPCG(1, 2))
	var lines, held []string
	parent := map[int][]int{}
	for p := 20; p < 80; p++ {
		for range 2 {
			q := rng.IntN(p - 10)
			parent[p] = append(parent[p], q)
			lines = append(lines, fmt.Sprintf("p%d\tparent\tp%d", p, q))
			for _, g := range parent[q] {
				fact := fmt.Sprintf("p%d\tgrand parent\tp%d", p, g)
				if rng.IntN(4) == 0 {
					held = append(held, fact)
				} else {
					lines = append(lines, fact)
				}
			}
		}
	}
	valid, test := slices.Clone(held[:len(held)/2]), held[len(held)/2:]
	for p := range 20 { // facts of an entity with itself
		fact := fmt.Sprintf("p%d\tnamed after\tp%d", p, p)
		switch p % 4 {
		case 0:
			valid = append(valid, fact)
		case 1:
			test = append(test, fact)
		default:
			lines = append(lines, fact)
		}
	}
	return folder(t, strings.Join(lines, "\n"), strings.Join(valid, "\n"), strings.Join(test, "\n"))
}

func folder(t *testing.T, texts ...string) string {
	dir := t.TempDir()
	for i, name := range []string{"train.txt", "valid.txt", "test.txt"} {
		if i < len(texts) {
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(texts[i]), 0o644))
		}
	}
	return dir
}

// command runs the command and returns its exit code and what it printed.
func command(t *testing.T, args ...string) (code int, stdout, stderr string) {
	log, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	require.NoError(t, err)
	defer log.Close()
	var out strings.Builder
	code = Main(args, &out, log)
	text, err := os.ReadFile(log.Name())
	require.NoError(t, err)
	return code, out.String(), string(text)
}

// file returns the bytes of a file of a run.
func file(t *testing.T, parts ...string) string {
	b, err := os.ReadFile(filepath.Join(parts...))
	require.NoError(t, err)
	return string(b)
}

// The rule by which the facts were made is found, learned and explained, and it answers all queries.
func TestCommand(t *testing.T) {
	data, out := family(t), filepath.Join(t.TempDir(), "run")
	code, stdout, stderr := command(t, "-data", data, "-out", out, "-rounds", "3", "-functional", "-adds", "5")
	require.Equal(t, exit.OK, code, stderr)
	var r result
	require.NoError(t, json.Unmarshal([]byte(stdout), &r))
	assert.JSONEq(t, stdout, file(t, out, "result.json"))
	// Of several grandparents the known ones are filtered out, so that the true one is first.
	assert.Greater(t, r.ValidMRR, 0.85)
	assert.Greater(t, *r.TestMRR, 0.85)
	assert.GreaterOrEqual(t, *r.TestHits10, *r.TestHits3)
	assert.Less(t, r.Gap, 0.01*r.Value)
	assert.Contains(t, file(t, out, "rules.tsv"), "grand parent(X, Y) ← parent(X, A), parent(A, Y)")

	// A line of a path rule is about one end.
	for line := range strings.Lines(file(t, out, "rules.tsv")) {
		if cells := strings.Split(line, "\t"); cells[1] == "path" {
			assert.Contains(t, cells[6:8], "0.0000", line)
		}
	}

	// The heaviest rule is the one that the facts were made by, and nothing is as good without it.
	first := strings.Split(strings.Split(file(t, out, "adds.tsv"), "\n")[1], "\t")
	assert.Equal(t, "grand parent(X, Y) ← parent(X, A), parent(A, Y), for 1 A", first[5])
	assert.Regexp(t, `^\+0\.`, first[4])

	fact := strings.Split(file(t, data, "test.txt"), "\n")[0]
	part := strings.Split(fact, "\t")
	code, stdout, stderr = command(t, "-data", data, "-out", out, "-explain", part[1]+"("+part[0]+", "+part[2]+")")
	require.Equal(t, exit.OK, code, stderr)
	assert.Contains(t, stdout, "grand parent(X, Y) ← parent(X, A), parent(A, Y)")
	assert.Regexp(t, `here: parent\(`+part[0]+`, p\d+\), parent\(p\d+, `+part[2]+`\)`, stdout)
	code, stdout, _ = command(t, "-data", data, "-out", out, "-explain", part[1]+"("+part[0]+", ?)")
	require.Equal(t, exit.OK, code)
	assert.Contains(t, stdout, part[2]+")")

	// No relation is functional here: everybody has two parents.
	assert.NotContains(t, file(t, out, "rules.psl"), "<= 1 .")
}

// The written model, inferred with the project's solver, has as values the scores divided by one number.
func TestModelInfersTheScores(t *testing.T) {
	data, out := family(t), filepath.Join(t.TempDir(), "run")
	code, _, stderr := command(t, "-data", data, "-out", out, "-rounds", "3")
	require.Equal(t, exit.OK, code, stderr)
	assert.Regexp(t, `\d: Fires\(.grand parent (tail|head) 2\.`, file(t, out, "rules.psl"), "the second of the best rules has a weight")
	assert.Contains(t, file(t, out, "rules.psl"), "& (X == Y) -> ")
	assert.Contains(t, file(t, out, "rules.psl"), "& Counted('parent(X, A), parent(A, Y), for 1 A', X, Y) -> ")
	assert.NotRegexp(t, `(?m)^[\d.]+e-1\d: Fires`, file(t, out, "rules.psl"), "a weight that is left of rounding")
	for _, partition := range []model.Partition{model.Infer, model.Learn} {
		r, n := scored(t, partition, "-data", data, "-out", out, "-rounds", "3", "-resume")
		assert.Greater(t, n, 20)

		// A file of rules has a limit, by which the model asks less.
		if partition == model.Infer {
			whole := file(t, out, "rules.psl")
			r.room = len(whole) / 2
			require.NoError(t, r.writeModel(t.Context()))
			less := file(t, out, "rules.psl")
			assert.True(t, len(less) <= r.room && len(less) > 0, "%d of %d bytes", len(less), r.room)
			assert.Less(t, strings.Count(file(t, out, "data/asked-infer.txt"), "\n"), n)
			r.room = len(whole)
			require.NoError(t, r.writeModel(t.Context()))
			assert.Equal(t, whole, file(t, out, "rules.psl"))
		}
	}
}

// A time limit of any length and -resume, and records of a search with more rounds, lead to the rules
// of one run with as many rounds.
func TestResume(t *testing.T) {
	data := family(t)
	whole, parts := filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b")
	run := func(out string, args ...string) {
		code, _, stderr := command(t, append([]string{"-data", data, "-out", out}, args...)...)
		require.Equal(t, exit.OK, code, stderr)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	run(whole, "-rounds", "2")
	runtime.GOMAXPROCS(3)
	run(parts, "-rounds", "1")
	run(parts, "-rounds", "2", "-resume")
	for _, name := range []string{"rules.tsv", "rules.psl", "data/fires-infer.txt"} {
		assert.True(t, file(t, whole, name) == file(t, parts, name), name)
	}

	// An interruption keeps whole rounds and says so.
	l, err := read(data)
	require.NoError(t, err)
	r := begin(&options{out: filepath.Join(t.TempDir(), "c"), time: time.Hour, seed: 1, length: 3}, l, watch.NewProgress("rules", os.Stderr, true))
	require.NoError(t, r.open())
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	require.ErrorIs(t, r.find(ended), context.Canceled)
	run(r.out, "-rounds", "2", "-resume")
	assert.True(t, file(t, whole, "rules.tsv") == file(t, r.out, "rules.tsv"))

	// What was found in more rounds is not told as the rules of fewer.
	code, _, stderr := command(t, "-data", data, "-out", whole, "-rounds", "1", "-resume")
	assert.Equal(t, exit.Usage, code)
	assert.Contains(t, stderr, "has had 2 rounds")
}

// Bad input is refused with its place and what to do.
func TestBadInput(t *testing.T) {
	good := "a\tr\tb\nb\tr\tc\n"
	run := filepath.Join(t.TempDir(), "run")
	code, _, stderr := command(t, "-data", folder(t, good, good, good), "-out", run, "-rounds", "1", "-quiet")
	require.Equal(t, exit.OK, code, stderr)
	data := folder(t, good, good, good)
	relations := run + " of relations"
	code, _, stderr = command(t, "-data", data, "-out", relations, "-rounds", "1", "-quiet", "-ask", "relation")
	require.Equal(t, exit.OK, code, stderr)
	own := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(own, "rules.psl"), []byte("1: P(A) -> Q(A)\n"), 0o644))
	trained := t.TempDir()
	require.NoError(t, runfolder.WriteResult(trained, runfolder.Result{}))
	held := t.TempDir()
	release, err := runfolder.Hold(held)
	require.NoError(t, err)
	defer release()
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"-out", "x"}, exit.Usage, "-data is missing"},
		{[]string{"-data", data, "-out", "x", "-length", "6"}, exit.Usage, "-length 6 is not 1 to 5"},
		{[]string{"-data", data, "-out", "x", "-asked", "0"}, exit.Usage, "-asked 0 is not above 0"},
		{[]string{"-data", data, "-out", "x", "-ask", "relation", "-adds", "3"}, exit.Usage, "which only -ask entity learns"},
		{[]string{"-data", data + "/none", "-out", "x"}, exit.Usage, "no such file"},
		{[]string{"-data", folder(t, good), "-out", "x"}, exit.Data, "valid.txt: no such file or directory; the folder has to have train.txt, valid.txt and test.txt"},
		{[]string{"-data", folder(t, good, "", good), "-out", "x"}, exit.Data, "valid.txt has no facts"},
		{[]string{"-data", folder(t, good+"a r b\n", good, good), "-out", "x"}, exit.Data, "train.txt:3:1: the line has 1 field with tabs between, it has to have three"},
		{[]string{"-data", folder(t, good, "a\t\tb\n", good), "-out", "x"}, exit.Data, "valid.txt:1:1: the line has 3 fields with tabs between, it has to have three that are not empty"},
		{[]string{"-data", folder(t, good, good, "a\tr\t\xff\n"), "-out", "x"}, exit.Data, "test.txt:1:1: the line is not UTF-8 text"},
		{[]string{"-data", folder(t, good, good, strings.Repeat("x", 1<<25)), "-out", "x"}, exit.Data, "test.txt:1:1: the line has more than"},
		{[]string{"-data", data, "-out", run}, exit.Usage, "-resume goes on with it"},
		{[]string{"-data", data, "-out", own}, exit.Usage, own + " has a rules.psl of something else, which this run would write over: choose another folder"},
		{[]string{"-data", data, "-out", trained}, exit.Usage, trained + " has a result.json of something else, which this run would write over: choose another folder"},
		{[]string{"-data", data, "-out", held}, exit.Usage, "another process writes to"},
		{[]string{"-data", data, "-out", run + "/none", "-resume"}, exit.Usage, "there is no run"},
		{[]string{"-data", folder(t, good+"c\tr\td\n", good, good), "-out", run, "-resume"}, exit.Usage, "is of other facts"},
		{[]string{"-data", data, "-out", run, "-resume", "-seed", "2"}, exit.Usage, "is of other facts, of another -seed or -length, or of another version"},
		{[]string{"-data", data, "-out", run, "-explain", "r"}, exit.Usage, "is not a fact such as"},
		{[]string{"-data", data, "-out", run, "-explain", "s(a, b)"}, exit.Usage, `no fact has the relation "s"`},
		{[]string{"-data", data, "-out", run, "-explain", "r(a, z)"}, exit.Usage, `no fact has the entity "z"`},
		{[]string{"-data", data, "-out", run, "-explain", "r(?, ?)"}, exit.Usage, "at most one of them ?"},
		{[]string{"-data", data, "-out", relations, "-explain", "r(a, b)"}, exit.Usage, "-resume with -ask entity learns them"},
	} {
		code, _, stderr := command(t, c.args...)
		assert.Equalf(t, c.code, code, "%v: %s", c.args, stderr)
		assert.Contains(t, stderr, c.want)
		assert.Equalf(t, 1, strings.Count(stderr, "\n"), "%v: %s", c.args, stderr)
	}
	require.NoError(t, os.WriteFile(filepath.Join(run, recordFile), []byte("0\nrubbish"), 0o644))
	code, _, stderr = command(t, "-data", data, "-out", run, "-resume")
	assert.Equal(t, exit.Data, code)
	assert.Contains(t, stderr, "damaged")
}

// Functional relations become hard rules on request.
func TestFunctional(t *testing.T) {
	var lines []string
	for i := range 30 {
		lines = append(lines, fmt.Sprintf("p%d\tborn in\tc%d", i, i%3), fmt.Sprintf("p%d\tlikes\tc%d\np%d\tlikes\tc%d", i, i%3, i, (i+1)%3))
	}
	held := "p0\tborn in\tc1"
	data := folder(t, strings.Join(lines, "\n"), held, held)
	for _, on := range []bool{false, true} {
		out := filepath.Join(t.TempDir(), "run")
		args := []string{"-data", data, "-out", out, "-rounds", "1", "-quiet"}
		if on {
			args = append(args, "-functional")
		}
		code, _, stderr := command(t, args...)
		require.Equal(t, exit.OK, code, stderr)
		text := file(t, out, "rules.psl")
		assert.Equal(t, on, strings.Contains(text, "Found('born in tail', X, +Y) <= 1 ."))
		assert.NotContains(t, text, "Found('likes tail', X, +Y)")
		assert.NotContains(t, text, "Found('born in head', +X, Y)")
		_, err := psl.Parse("rules.psl", []byte(text))
		assert.NoError(t, err)
	}
}

// The observations of a model file are facts, whether it has rules or not.
func TestModelFile(t *testing.T) {
	dir := t.TempDir()
	var rows []string
	for i := range 30 {
		rows = append(rows, fmt.Sprintf(`["a%d", "b%d"]`, i, i%4))
	}
	path := filepath.Join(dir, "model.json")
	data := `"predicates": {"Lives/2": {"observations": [` + strings.Join(rows, ", ") + `]}, "Old/1": {"observations": [["a1"]]}}}`
	for _, rules := range []string{`"rules": ["1: !Lives(A, B)"], `, `"rules": [], `, ``} {
		require.NoError(t, os.WriteFile(path, []byte("{"+rules+data), 0o644))
		l, err := read(path)
		require.NoError(t, err)
		assert.Equal(t, []int{24, 3, 3}, []int{len(l.train), len(l.valid), len(l.test)})
		assert.Equal(t, []string{"Lives"}, l.names.Relations)
	}
	require.NoError(t, os.WriteFile(path, []byte(`{"rules": ["1: !Old(A)"], "predicates": {"Old/1": {"observations": [["a1"]]}}}`), 0o644))
	code, _, stderr := command(t, "-data", path, "-out", filepath.Join(dir, "run"))
	assert.Equal(t, exit.Data, code, stderr)
	assert.Contains(t, stderr, "rules need at least 20 facts")
}

// TestRepeatedFacts: how many held-out facts rules use, or weights are learned from, is told.
func TestRepeatedFacts(t *testing.T) {
	train, valid := "a\tr\tb\nb\tr\tc\nc\tr\ta\n", "a\tr\tb\na\tr\tc\n"
	data := folder(t, train, valid, "c\tr\tb\n")
	code, _, said := command(t, "-data", data, "-out", t.TempDir(), "-rounds", "1")
	require.Equal(t, exit.OK, code, said)
	require.Contains(t, said, "warning: 1 of 2 facts of valid.txt are in train.txt too")
	require.NotContains(t, said, "facts of test.txt")

	data = folder(t, train, valid, "c\tr\tb\nb\tr\ta\na\tr\tc\n")
	require.NoError(t, os.WriteFile(filepath.Join(data, "facts.txt"), []byte("b\tr\ta\n"), 0o600))
	code, _, said = command(t, "-data", data, "-out", t.TempDir(), "-rounds", "1")
	require.Equal(t, exit.OK, code, said)
	require.Contains(t, said, "warning: 1 of 3 facts of test.txt are in facts.txt too")
	require.Contains(t, said, "warning: 1 of 3 facts of test.txt are in valid.txt too")
	require.NotContains(t, said, "facts of test.txt are in train.txt")
}

// Each half of valid.txt is ranked by weights that are learned without it.
func TestHalvesOfValid(t *testing.T) {
	data, out := family(t), filepath.Join(t.TempDir(), "run")
	args := []string{"-data", data, "-out", out, "-rounds", "1", "-quiet", "-no-test"}
	code, _, stderr := command(t, args...)
	require.Equal(t, exit.OK, code, stderr)
	o, err := parse(append(args, "-resume"), nil)
	require.NoError(t, err)
	l, err := read(data)
	require.NoError(t, err)
	r := begin(o, l, watch.NewProgress("rules", os.Stderr, true))
	require.NoError(t, r.open())
	require.NoError(t, r.learn(t.Context()))
	facts, f, different := l.alike(r.graph), rulemining.NewFirer(r.graph), 0
	for relation, m := range r.models {
		var halves [2][]rulemining.Triple
		for i, fact := range r.valid[relation] {
			halves[i%2] = append(halves[i%2], fact)
		}
		var want evaluate.Ranking
		for side := range 2 {
			all, err := ruleweights.Learn(t.Context(), f, m, side, facts[relation], halves, r.record.Options)
			require.NoError(t, err)
			i := slices.IndexFunc(all[2], func(w ruleweights.Learned) bool { return slices.Equal(w.Weights, m.Weights[side]) })
			require.GreaterOrEqual(t, i, 0, "the weights are learned from all facts")
			for half, valid := range halves {
				cumulative := rulemining.Cumulative(all[half][i].Weights)
				list, err := r.ranks(t.Context(), f, m, side, valid, 1, func(_ int, scores []float64) { f.Scores(m, side, cumulative, scores) })
				require.NoError(t, err)
				want = append(want, list[0]...)
			}
			if !slices.Equal(all[0][i].Weights, all[2][i].Weights) {
				different++
			}
		}
		assert.Equal(t, want, r.record.Models[int32(relation)].Ranks)
	}
	assert.Positive(t, different)
}

// Another kind of weights is taken where the difference of the reciprocal ranks is more than twice its standard error.
func TestAhead(t *testing.T) {
	assert.True(t, ahead(evaluate.Ranking{1, 1, 1, 1}, evaluate.Ranking{2, 2, 2, 2}))
	assert.False(t, ahead(evaluate.Ranking{1, 1, 1, 2}, evaluate.Ranking{2, 2, 2, 1}), "0.25 ± 0.25")
	assert.False(t, ahead(evaluate.Ranking{1, 1}, evaluate.Ranking{1, 1}))
	assert.False(t, ahead(evaluate.Ranking{1}, evaluate.Ranking{9}), "one query tells nothing")
}
