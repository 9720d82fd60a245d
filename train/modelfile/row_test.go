package modelfile

import (
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/train/learning"
)

// pairs is a model of pairs of things with one of two digits each, of which the sum is asked. Pairs,
// things and digits have the same names. The hole takes the rows of the partition infer, their
// targets and one more rule.
const pairs = `{
	"rules": [
		"1: Pair(P, A, B) & Adds(X, Y, Z) & Digit(A, X) & Digit(B, Y) -> Sum(P, Z) ^2",
		"0.5: Pair(P, A, B) & (A != B) & Digit(A, X) & Digit(B, X) -> Twins(P)",
		"0.1: !Twins(P) ^2",
		"Sum(P, +Z) = 1 ."RULES
	],
	"predicates": {
		"Pair/3": {"observations": {"learn": [[1, 2, 3]], "infer": [PAIRS]}},
		"Adds/3": {"observations": [[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 2]]},
		"Twins/1": {"targets": {"learn": [[1]], "infer": [TWINS]}},
		"Digit/2": {
			"network": {"model": "mlp", "layers": [3], "features": "things.txt", "classes": 2},
			"targets": {"learn": [[2, 0], [2, 1], [3, 0], [3, 1]], "infer": [DIGITS]}
		},
		"Sum/2": {"targets": {"learn": [[1, 0], [1, 1], [1, 2]], "infer": [SUMS]}, "truth": {"learn": [[1, 2]]},
			"evaluations": ["CategoricalEvaluator"]}
	}
}`

const things = "1\t0.5\t-1\n2\t1\t0.25\n3\t-2\t1\n4\t0.1\t0.7\n5\t-1\t-1\n"

// filled is pairs with rows P,A,B in the partition infer.
func filled(rules string, rows ...string) string {
	var pair, twins, digits, sums []string
	for _, r := range rows {
		f := strings.Split(r, ",")
		pair = append(pair, "["+r+"]")
		twins = append(twins, "["+f[0]+"]")
		for _, thing := range f[1:] {
			digits = append(digits, "["+thing+", 0]", "["+thing+", 1]")
		}
		sums = append(sums, "["+f[0]+", 0]", "["+f[0]+", 1]", "["+f[0]+", 2]")
	}
	join := func(list []string) string { return strings.Join(list, ", ") }
	return strings.NewReplacer("RULES", rules, "[PAIRS]", "["+join(pair)+"]", "[TWINS]", "["+join(twins)+"]",
		"[DIGITS]", "["+join(digits)+"]", "[SUMS]", "["+join(sums)+"]").Replace(pairs)
}

// TestRows: rows are answered as the same rows are in a model file, whatever rows the partition has.
// Names that are also classes, a thing twice in a row, and rows that share things are told apart.
func TestRows(t *testing.T) {
	files := map[string]string{"things.txt": things}
	m := learned(t, write(t, filled("", `1, 2, 2`, `7, 1, 3`), files))
	q, err := m.NewPredictor()
	require.NoError(t, err)
	if tables := q.Tables(); len(tables) != 1 || tables[0].Name != "Pair" || tables[0].Arity != 3 {
		t.Fatalf("%+v", tables)
	}
	for _, rows := range [][]string{{`0, 4, 5`}, {`1, 3, 2`, `0, 4, 4`, `9, 2, 1`}} {
		var given []Row
		for _, r := range rows {
			given = append(given, Row{"PAIR", strings.Split(strings.ReplaceAll(r, " ", ""), ",")})
		}
		p, err := q.Predict(nil, given...)
		require.NoError(t, err)
		other, cfg := open(t, write(t, filled("", rows...), files), "sp", exact)
		for i, p := range other.Params() {
			copy(p.Value, m.Params()[i].Value)
		}
		copy(other.Weights(), m.Weights())
		infer := other.parts[learning.TestPart]
		y, _, err := infer.infer(other.Weights(), &cfg, other.look)
		require.NoError(t, err)
		names := infer.template.Program().Targets
		require.Len(t, p.Atoms, len(names))
		for _, a := range p.Atoms {
			at := slices.Index(names, a.Atom)
			require.GreaterOrEqual(t, at, 0, a.Atom)
			require.InDelta(t, y[at], a.Value, 1e-4, a.Atom)
		}
		if p.Certificate == nil || p.Certificate.Violation > 1e-6 || p.Explanation == nil {
			t.Errorf("%v: %+v", rows, p.Certificate)
		}
	}
}

// TestOrderOfRows: outputs are those of inputs and then of other names in rows, in their order, also
// where the data have an order of their own: a client of the tensors knows no other.
func TestOrderOfRows(t *testing.T) {
	text := strings.Replace(filled("", `1,2,3`), `[[2, 0], [2, 1], [3, 0], [3, 1]]}`, `[[3, 1], [3, 0], [2, 0], [2, 1]]}`, 1)
	q, err := learned(t, write(t, text, map[string]string{"things.txt": things})).NewPredictor()
	require.NoError(t, err)
	p, err := q.Predict([]Input{{"Digit", []string{"x"}, []float32{.1, .7}}}, Row{"Pair", []string{"p", "5", "4"}}, Row{"Pair", []string{"q", "x", "1"}})
	require.NoError(t, err)
	var names []string
	for _, in := range p.Inputs {
		names = append(names, in.Entity...)
	}
	require.Equal(t, []string{"x", "5", "4", "1"}, names)
}

// TestRowsOfInputs: an input stands for the name in a row, and must have one there.
func TestRowsOfInputs(t *testing.T) {
	m := learned(t, write(t, filled("", `1, 2, 3`), map[string]string{"things.txt": things}))
	q, err := m.NewPredictor()
	require.NoError(t, err)
	known, err := q.Predict(nil, Row{"Pair", []string{"p", "4", "5"}})
	require.NoError(t, err)
	given, err := q.Predict([]Input{{"Digit", []string{"x"}, []float32{.1, .7}}}, Row{"Pair", []string{"p", "x", "5"}})
	require.NoError(t, err)
	for i, a := range given.Atoms {
		if b := known.Atoms[i]; a.Atom != b.Atom || math.Abs(a.Value-b.Value) > 1e-9 {
			t.Errorf("%v, and with an input %v", b, a)
		}
	}
	for name, c := range map[string]struct {
		inputs []Input
		rows   []Row
		want   string
	}{
		"no features":   {nil, []Row{{"Pair", []string{"p", "4", "5"}}, {"Pair", []string{"p", "4", "x"}}}, "row 2: x has no features: give an input of this name for the network of Digit"},
		"too few":       {nil, []Row{{"Pair", []string{"p", "4"}}}, "row 1: 2 fields, Pair has 3 arguments"},
		"empty":         {nil, []Row{{"Pair", []string{"p", "4", ""}}}, "row 1: a field is empty"},
		"no such table": {nil, []Row{{"Adds", []string{"1", "1", "2"}}}, `row 1: "Adds" is no predicate whose rows are examples`},
		"not named":     {[]Input{{"Digit", []string{"x"}, []float32{0, 0}}}, []Row{{"Pair", []string{"p", "4", "5"}}}, `input 1: the network of Digit has an input "x", which is in no row`},
		"twice": {[]Input{{"Digit", []string{"x"}, []float32{0, 0}}, {"Digit", []string{"x"}, []float32{0, 1}}}, []Row{{"Pair", []string{"p", "x", "5"}}},
			"input 2: x is given twice to the network of Digit"},
	} {
		if _, err := q.Predict(c.inputs, c.rows...); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

// TestTables: what a name says besides which atoms belong together cannot be known of a new one.
func TestTables(t *testing.T) {
	for name, c := range map[string]struct {
		rule, problem string
		tables        int
	}{ // by rule: of the names of pairs, things and digits, those that are names
		"as it is":                 {"", "", 1},
		"a constant of a rule":     {`, "1: Pair('1', A, B) -> Sum('1', '2')"`, "no atom of Twins is about the row 1, 2, 3 alone", 1},
		"a fact about things":      {`, "1: Pair(P, A, B) & Adds(A, X, Y) -> Sum(P, X)"`, "", 0},
		"a target about no row":    {`, "1: Warm('today')"`, "no atom of Warm is about the row 1, 2, 3 alone", 1},
		"a target about two names": {`, "1: Same(P, Q) & Pair(P, A, B) & Pair(Q, B, A) -> Twins(P)"`, "no atom of Same is about the row 1, 2, 3 alone", 1},
	} {
		more := `, "Warm/1": {"targets": [["today"]]}, "Same/2": {"targets": [[1, 7]]}`
		if !strings.Contains(c.problem, "Warm") {
			more = strings.Replace(more, `"Warm/1": {"targets": [["today"]]}, `, "", 1)
		}
		if !strings.Contains(c.problem, "Same") {
			more = strings.Replace(more, `, "Same/2": {"targets": [[1, 7]]}`, "", 1)
		}
		p, err := loadPart(write(t, strings.Replace(filled(c.rule, `1, 2, 3`, `7, 2, 3`), "\n\t}\n}", more+"}}", 1), map[string]string{"things.txt": things}), "infer")
		require.NoError(t, err, name)
		if list := p.tables(); len(list) != c.tables || c.tables > 0 && list[0].problem != c.problem {
			t.Errorf("%s: %d tables, %+v", name, len(list), list)
		}
	}
}

// TestPredictRows: rows come from files, and fields may be the names of pictures.
func TestPredictRows(t *testing.T) {
	m := learned(t, write(t, filled("", `1, 2, 3`), map[string]string{"things.txt": things}))
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
		return path
	}
	var texts []string
	for _, path := range []string{file("a.txt", "p\t4\t5\n"), file("a.csv", "pair,one,other\np,4,5\n"), file("a.jsonl", `["p",4,5]`+"\n")} {
		p, err := m.Predict([]string{"pair=" + path})
		require.NoError(t, err)
		var text bytes.Buffer
		require.NoError(t, p.Print(&text))
		texts = append(texts, text.String())
	}
	if texts[0] != texts[1] || texts[1] != texts[2] || !strings.Contains(texts[0], "Sum(p,2) = ") {
		t.Errorf("%q", texts)
	}
	for path, want := range map[string]string{
		file("short.txt", "p\t4\n"): "short.txt", file("none.csv", "pair,one,other\n"): "there are no rows",
		file("new.txt", "p\t4\tx.png\n"): "new.txt: row 1: x.png has no features",
	} {
		var data *learning.DataError
		if _, err := m.Predict([]string{"Pair=" + path}); !errors.As(err, &data) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
	_, err := m.Predict([]string{"Pear=" + file("b.csv", "")})
	require.ErrorContains(t, err, `"Pear" is no predicate that describes a network; there are Digit, and for rows Pair`)
}
