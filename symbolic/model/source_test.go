package model

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"hinge/symbolic/facts"
)

// TestSources: rows of files of other formats than the tab-separated, for every kind of data.
func TestSources(t *testing.T) {
	files := map[string]string{
		"data/ratings.csv": "user_id,item_id,stars\nu1,i1,5\nu1,i2,2\n", "data/to.csv": "u2;i1\nu2;i2\n",
		"data/truth.jsonl": `{"user": "u2", "item": "i1", "stars": 3}` + "\n" + `{"user": "u2", "item": "i2", "stars": 1}` + "\n",
	}
	files["model.json"] = `{"rules": ["1: !Rating(U, I)"], "predicates": {"Rating/2": {
		"observations": {"infer": [{"csv": "data/ratings.csv", "columns": ["user_id", "item_id"], "value": "stars", "scale": [1, 5]}, ["u3", "i1", 0.5]]},
		"targets": [{"csv": "data/to.csv", "header": false, "separator": ";"}],
		"truth": [{"jsonl": "data/truth.jsonl", "columns": ["user", "item"], "value": "stars", "scale": 0.25, "shift": -0.25}],
		"evaluations": ["ContinuousEvaluator"]}}}`
	for _, data := range []string{"", "data"} {
		m := mustLoad(t, files, LoadOptions{Data: data})
		if p := m.Data.Predicates()[0]; p.Observations != 3 || p.Targets != 2 || p.Truths != 2 || len(m.Warnings) > 0 {
			t.Errorf("%+v, %v", p, m.Warnings)
		}
		if v, ok := m.Data.Observation("Rating", "u1", "i2"); !ok || v != 0.25 {
			t.Errorf("a rating of 2 stars is %v, %v", v, ok)
		}
		results, err := m.Evaluate([]float64{0.5, 0}, nil)
		if err != nil || results[0].Metrics[0].Value != 0 {
			t.Errorf("evaluated to %v, %v", results, err)
		}
	}
	// YAML has the same keys.
	files["model.yaml"] = "rules: ['1: !Rating(U, I)']\npredicates:\n  Rating/2:\n    targets: [{csv: data/to.csv, header: false, separator: ';'}]\n"
	mustLoad(t, files, LoadOptions{})
	m, err := Load("model.yaml", LoadOptions{})
	if err != nil || m.Data.Targets() != 2 {
		t.Errorf("%v", err)
	}
}

func TestSourceErrors(t *testing.T) {
	t.Setenv("SHOP", "postgres://ann:s3cret@localhost:1/shop")
	for _, c := range []struct{ source, want string }{
		{`{"csv": "none.csv"}`, "model.json:2:10: there is no data file "},
		{`{"csv": "."}`, "model.json:2:10: . is a folder (name its files in the model, each as an element of the list)"},
		{`{"cvs": "x.csv"}`, "model.json:2:2: a source of P names none of tsv, csv, jsonl, parquet, sql and similar (did you mean csv?)"},
		{`{}`, `model.json:2:2: a source of P names none of tsv, csv, jsonl, parquet, sql and similar (write {"csv": "ratings.csv"`},
		{`{"csv": "x.csv", "jsonl": "x"}`, "model.json:2:28: jsonl beside csv: a source has one of tsv, csv, jsonl, parquet, sql and similar"},
		{`{"csv": 3}`, "model.json:2:10: csv is a number, want a text"},
		{`{"csv": "x.csv", "colums": []}`, "model.json:2:19: a source csv has no \"colums\" (did you mean columns?)"},
		{`{"jsonl": "x.csv", "header": true}`, `model.json:2:21: a source jsonl has no "header"`},
		{`{"csv": "x.csv", "columns": ["a"]}`, "model.json:2:30: 1 column for 2 arguments of P"},
		{`{"csv": "x.csv", "columns": ["a", 0]}`, "model.json:2:36: a column is 0, want the name of a column, or its number from 1"},
		{`{"csv": "x.csv", "columns": ["a", null]}`, "model.json:2:36: a column is null, want"},
		{`{"csv": "x.csv", "value": ""}`, "model.json:2:28: value is an empty name"},
		{`{"csv": "x.csv", "scale": [1]}`, "model.json:2:28: scale has 1 value, want two, which become 0 and 1"},
		{`{"csv": "x.csv", "scale": [1, 1]}`, "model.json:2:28: the two values of scale are the same"},
		{`{"csv": "x.csv", "scale": [1, 2], "shift": 1}`, "model.json:2:45: shift beside two values of scale (remove it)"},
		{`{"csv": "x.csv", "scale": "5"}`, `model.json:2:28: scale is "5", want a number`},
		{`{"csv": "x.csv", "scale": 0}`, "model.json:2:28: a scale of 0 gives all atoms one value"},
		{`{"csv": "x.csv", "separator": "ab"}`, `model.json:2:32: the separator is "ab", want one character`},
		{`{"csv": "x.csv", "where": ["a"]}`, "model.json:2:28: where is a list, want an object"},
		{`{"csv": "x.csv", "value": "c"}`, `model.json:2:10: x.csv has no column "c" (did you mean a?)`},
		{`{"csv": "x.csv", "columns": ["a", "b"], "scale": [0, 2], "value": "b"}`, `x.csv:2:4: b: the value "i1" is not a number`},
		{`{"csv": "twice.csv"}`, "twice.csv:3:1: P(u,i) is observed as 1 and as 0.5"},
		{`{"parquet": "x.parquet"}`, "model.json:2:14: this program was built without Parquet files: build it with -tags drivers"},
		{`{"sql": "x.db", "query": "SELECT 1"}`, `model.json:2:10: "x.db" is no address of a database: want sqlite:FILE`},
		{`{"sql": "sqlite:x.db", "query": "SELECT 1"}`, "model.json:2:10: there is no data file "},
		{`{"sql": "env:SHOP"}`, `model.json:2:2: the source sql has no query (add "query": "SELECT`},
		{`{"sql": "env:NOT_SET", "query": "SELECT 1"}`, "model.json:2:10: the environment variable NOT_SET, which names a database, is not set"},
		{`{"sql": "postgres://ann:s3cret@localhost/shop", "query": "SELECT 1"}`, "model.json:2:10: the address of the database holds a password"},
		{`{"sql": "env:SHOP", "query": "SELECT 1"}`, "model.json:2:10: this program was built without databases: build it with -tags drivers"},
		{`{"similar": "jacard"}`, "model.json:2:14: there is no measure \"jacard\"; there are jaro-winkler, levenshtein, jaccard and tf-idf (did you mean jaccard?)"},
		{`{"similar": "jaccard"}`, `model.json:2:2: the source similar has no left (add "left": {"csv"`},
		{`{"similar": "jaccard", "left": {"csv": "x.csv"}}`, `model.json:2:33: left has 0 columns, want those of the identifier, of the text`},
		{`{"similar": "jaccard", "left": {"csv": "x.csv", "columns": ["a", "b"], "value": "b"}}`, `model.json:2:82: left has a value, but records have none`},
		{`{"similar": "jaccard", "left": {"similar": "jaccard"}}`, `model.json:2:33: the source similar has no left`},
		{`{"similar": "jaccard", "left": {"csv": "x.csv", "columns": ["a", "b"]}}`, `model.json:2:2: the source similar has no least similarity (add "least": 0.8)`},
		{`{"similar": "jaccard", "left": {"csv": "x.csv", "columns": ["a", "b"]}, "least": 2}`, `model.json:2:83: least is "2", want a number above 0`},
		{`{"similar": "jaccard", "left": {"csv": "x.csv", "columns": ["a", "b"]}, "right": {"csv": "x.csv", "columns": ["a", "b", "b"]}, "least": 1}`, `model.json:2:83: right has 3 columns, left has 2`},
		{`{"similar": "jaccard", "left": {"csv": "x.csv", "columns": ["a", "c"]}, "least": 1}`, `model.json:2:14: x.csv has no column "c" (did you mean a?)`},
		{`{"similar": "jaccard", "columns": [1, 2]}`, `model.json:2:25: a source similar has no "columns" (possible are similar, left, right, least)`},
	} {
		_, err := load(t, map[string]string{"x.csv": "a,b\nu1,i1\n", "x.parquet": "PAR1\x15", "twice.csv": "a,b,v\nu,i,1\nu,i,0.5\n",
			"model.json": `{"rules": ["1: !P(A, B)"], "predicates": {"P/2": {"targets": [["t", "u"]], "observations": [` + "\n " + c.source + `]}}}`}, LoadOptions{})
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s\n got %v\nwant %s", c.source, err, c.want)
		}
		if err != nil && strings.Contains(err.Error(), "s3cret") {
			t.Errorf("the error shows the password: %v", err)
		}
	}
	// Beside a folder of its name a compressed file is found.
	mustLoad(t, map[string]string{"x/y.txt": "", "x.gz": "u1\ti1\n", "model.json": `{"rules": ["1: !P(A, B)"], "predicates": {"P/2": {"targets": ["x"]}}}`}, LoadOptions{})
	// Mistakes in rows are about the data, with their places.
	_, err := load(t, map[string]string{"x.csv": "a,b\n1,x\n", "model.json": `{"rules": ["1: !P(A, B)"], "options": {"runtime.db.intids": true}, "predicates": {"P/2": {"targets": [{"csv": "x.csv"}]}}}`}, LoadOptions{})
	if !errors.As(err, new(*facts.Error)) || !strings.HasSuffix(err.Error(), `x.csv:2:3: b: "x" is not an integer, but the argument has the type UniqueIntID`) {
		t.Errorf("%v", err)
	}
}

// TestSourceDoubts: what is probably a slip, in sources and in files that look like another
// format.
func TestSourceDoubts(t *testing.T) {
	for _, c := range []struct{ data, file, want string }{
		{`{"csv": "x.csv"}`, "user\nu1\n", ""},
		{`{"csv": "x.csv"}`, "user\n", "x.csv adds no atom of P: it has no row that is asked for"},
		{`{"csv": "x.csv"}`, "", "x.csv adds no atom of P: it has no row that is asked for"},
		{`["u1"], {"csv": "x.csv"}`, "user\nu1\n", "x.csv adds no atom of P: others have them all"},
		{`{"csv": "x.csv", "header": false}`, "user\nu1\n", `"user" looks like a header, and is read as an atom of P`},
		{`{"csv": "x.csv"}`, "user\n'u1'\n", `the quotes of 'u1' in x.csv are part of the constant: without them it is another one`},
		{`"x.csv"`, "ann,0.5\nbob,1\n", `"ann,0.5" looks like a row of CSV, and is read as one constant of P`},
		{`"x.csv"`, "{\"a\": 1}\n", `"{\"a\": 1}" looks like a row of JSONL, and is read as one constant of P`},
		{`"x.csv"`, "product\n1\n2\n", `"product" looks like a header, and is read as an atom of P`},
	} {
		m := mustLoad(t, map[string]string{"x.csv": c.file, "model.json": `{"rules": ["1: !P(A)"], "predicates": {"P/1": {"targets": [["t"], ` + c.data + `]}}}`}, LoadOptions{})
		var got []string
		for _, w := range m.Warnings {
			if !w.Data || w.Pos.Line == 0 || w.Hint == "" {
				t.Errorf("%v is not about data, or has no place or no hint", w)
			}
			got = append(got, w.Msg)
		}
		if g := strings.Join(got, "\n"); g != c.want {
			t.Errorf("%s %q\n got %s\nwant %s", c.data, c.file, g, c.want)
		}
	}
	for head, want := range map[string]string{"PAR1\x15\x00": "is a Parquet file", "SQLite format 3\x00": "is an SQLite database", "\xff\xfea\x00": "is UTF-16 text"} {
		_, err := load(t, map[string]string{"x.txt": head, "model.json": `{"rules": ["1: !P(A)"], "predicates": {"P/1": {"targets": ["x.txt"]}}}`}, LoadOptions{})
		if !errors.As(err, new(*facts.Error)) || !strings.Contains(err.Error(), "x.txt:1:1: the file "+want) {
			t.Errorf("%q: %v", head, err)
		}
	}
}

// TestSimilarSource: candidates and similarities of two files, and the truth of the pairs that
// nobody lists.
func TestSimilarSource(t *testing.T) {
	const near = `{"similar": "jaccard", "least": 0.5, "left": {"csv": "left.csv", "columns": ["id", "name"]}, "right": {"csv": "right.csv", "columns": ["id", "name"]}}`
	m := mustLoad(t, map[string]string{
		"left.csv": "id,name\nl1,ann miller\nl2,bob\n", "right.csv": "id,name\nr1,Miller ann\nr2,bob stone\nr3,eve\n", "truth.csv": "l,r\nl1,r1\n",
		"model.json": `{"rules": ["1: Near(A, B) -> Same(A, B)"], "predicates": {
			"Near/2": {"observations": [` + near + `]},
			"Same/2": {"targets": [` + near + `], "truth": [{"rest": 0}, {"csv": "truth.csv"}]}}}`}, LoadOptions{})
	for pair, want := range map[[2]string]float64{{"l1", "r1"}: 1, {"l2", "r2"}: .5} {
		got, ok := m.Data.Observation("Near", pair[0], pair[1])
		assert.True(t, ok)
		assert.Equal(t, want, got)
		truth, ok := m.Data.TruthOf("Same", pair[0], pair[1])
		assert.True(t, ok, pair)
		assert.Equal(t, map[bool]float64{true: 1}[pair[0] == "l1"], truth)
	}
	assert.Equal(t, 2, m.Data.Targets())

	// Atoms of a network have it too, and it waits for all lists: what the partition lists is no rest.
	m = mustLoad(t, map[string]string{"f.txt": "a\t1\nb\t2\nc\t3\n", "model.json": `{"rules": ["1: P(A) = Q(A)"], "predicates": {
		"P/1": {"network": {"model": "mlp", "layers": [], "features": "f.txt"}, "targets": [["a"], ["b"], ["c"]], "truth": [["a"], {"rest": 0}]},
		"Q/1": {"targets": [["a"], ["b"], ["c"]], "truth": {"all": [["a"], {"rest": 0}], "infer": [["b", 0.75]]}}}}`}, LoadOptions{Partition: Infer})
	for atom, want := range map[string]float64{"P a": 1, "P b": 0, "P c": 0, "Q a": 1, "Q b": .75, "Q c": 0} {
		truth, ok := m.Data.TruthOf(atom[:1], atom[2:])
		assert.True(t, ok, atom)
		assert.Equal(t, want, truth, atom)
	}

	for text, want := range map[string]string{
		`[{"rest": 2}]`:                 "the truth of the rest is \"2\", want a number in [0, 1]",
		`[{"rest": 0, "csv": "x.csv"}]`: `"rest" stands alone`,
		`[{"rest": 0}, {"rest": 1}]`:    `"rest" stands alone, once in a list`,
		`[{"rest": "no"}]`:              "the truth of the rest is",
	} {
		_, err := load(t, map[string]string{"model.json": `{"rules": ["1: !P(A)"], "predicates": {"P/1": {"targets": [["t"]], "truth": ` + text + `}}}`}, LoadOptions{})
		assert.ErrorContains(t, err, want)
	}
}

// TestFeatureColumns: features may be columns of a source.
func TestFeatureColumns(t *testing.T) {
	model := func(network string) map[string]string {
		return map[string]string{"x.csv": "id,age,colour\na,1,red\n", "model.json": `{"rules": ["1: P(A) = Q(A)"], "predicates": {"P/1": {"targets": [["a"]],` + "\n" +
			`"network": {"model": "mlp", ` + network + `}}, "Q/1": {"targets": [["a"]]}}}`}
	}
	m := mustLoad(t, model(`"features": {"csv": "x.csv", "columns": ["id", "age", "colour"]}, "categories": {"age": [], "colour": ["blue", "red"]}`), LoadOptions{})
	got := m.Predicates[0].Network
	assert.Equal(t, facts.Named("id", "age", "colour"), got.Source.Columns)
	assert.Equal(t, map[string][]string{"age": nil, "colour": {"blue", "red"}}, got.Categories)
	for network, want := range map[string]string{
		`"features": {"csv": "x.csv"}`:                                                                       `model.json:2:41: the source of the features has 0 columns`,
		`"features": {"csv": "x.csv", "columns": ["id", "age"], "value": "age"}`:                             `model.json:2:93: value is of the value of atoms`,
		`"features": {"csv": "x.csv", "columns": ["id", "age"]}, "labels": "last"`:                           `model.json:2:95: labels beside features from columns (remove it)`,
		`"features": {"csv": "x.csv", "columns": ["id", "age"]}, "categories": {"hue": []}`:                  `model.json:2:107: the source of the features takes no column "hue"`,
		`"features": {"similar": "jaccard", "least": 1, "left": {"csv": "x.csv", "columns": ["id", "age"]}}`: `model.json:2:53: similar pairs are no features`,
	} {
		_, err := load(t, model(network), LoadOptions{})
		assert.ErrorContains(t, err, want)
	}
}
