package serve

import (
	"bytes"
	"encoding/json"
	"image"
	"image/png"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/symbolic/model"
	"hinge/train/config"
	"hinge/train/mapstate"
	"hinge/train/modelfile"
)

// wanted is a model file of three networks: of numbers, of pairs and of digits.
const wanted = `{
	"rules": ["2: Sees(X, C) = Is(X, C) ^2", "1: Near(X, W) & Is(X, C) -> Is(W, C) ^2", "1: Tie(X, W) & Is(X, C) -> Is(W, C)", "1: Digit(X, '1') -> Is(X, 'one')", "Is(X, +C) = 1 ."],
	"predicates": {
		"Sees/2": {"network": {"model": "mlp", "features": "x.txt", "classes": ["one", "two"]}, "targets": [["a", "one"], ["a", "two"], ["b", "one"], ["b", "two"]],
			"truth": [["a", "one", 1]]},
		"Tie/2": {"network": {"model": "mlp", "features": "pairs.txt"}, "targets": [["a", "b"]]},
		"Digit/2": {"network": {"model": "mlp", "features": "mnist:test", "classes": 10}, "targets": [["7", 1]]},
		"Near/2": {"observations": [["a", "b"]]},
		"Is/2": {"targets": [["a", "one"], ["a", "two"], ["b", "one"], ["b", "two"], ["7", "one"], ["7", "two"]], "truth": [["a", "one", 1], ["a", "two", 0]],
			"evaluations": ["CategoricalEvaluator"]}
	}
}`

// sums is a model file whose rows are examples.
const sums = `{
	"rules": ["1: Pair(P, A, B) & Adds(X, Y, Z) & Digit(A, X) & Digit(B, Y) -> Sum(P, Z) ^2", "Sum(P, +Z) = 1 ."],
	"predicates": {
		"Pair/3": {"observations": [[1, 2, 3]]},
		"Adds/3": {"observations": [[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 2]]},
		"Digit/2": {"network": {"model": "mlp", "features": "x.txt", "classes": 2}, "targets": [[2, 0], [2, 1], [3, 0], [3, 1]]},
		"Sum/2": {"targets": [[1, 0], [1, 1], [1, 2]], "truth": [[1, 2]], "evaluations": ["DiscreteEvaluator"]}
	}
}`

// predictor is that of wanted, with the first weights.
func predictor(t *testing.T) *modelfile.Predictor {
	return predictorOf(t, wanted, map[string]string{"x.txt": "a\t1\t-1\nb\t0.5\t2\n", "pairs.txt": "a\tb\t3\n"})
}

// predictorOf is that of a model file in a folder wanted, with files.
func predictorOf(t *testing.T, model string, files map[string]string) *modelfile.Predictor {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "wanted")
	files["model.json"] = model
	for name, text := range files {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	c, err := modelfile.Task{}.Defaults(config.Config{Task: "model"})
	require.NoError(t, err)
	c.Options.(*modelfile.Options).Model = filepath.Join(dir, "model.json")
	m, err := (modelfile.Task{}).Open(c, "")
	require.NoError(t, err)
	p, err := m.(*modelfile.Model).NewPredictor()
	require.NoError(t, err)
	return p
}

// startedFile is a server of wanted, in front of which a test stands.
func startedFile(t *testing.T, o Options) (*modelfile.Predictor, *Server, string) {
	t.Helper()
	p := predictor(t)
	o.Log = slog.New(slog.DiscardHandler)
	s := NewFile(o, p)
	h := httptest.NewServer(s)
	t.Cleanup(func() { h.Close(); s.Close() })
	return p, s, h.URL
}

// TestFileInfer: tensors of several networks are answered as the model answers them, in the
// protocol, with and without entities.
func TestFileInfer(t *testing.T) {
	p, _, url := startedFile(t, Options{})
	const path = "/v2/models/wanted"
	r, err := http.Get(url + path)
	require.NoError(t, err)
	_, _, meta := answered(t, r)
	text, _ := json.Marshal(meta)
	for _, part := range []string{`"name":"wanted"`, `{"datatype":"FP32","name":"Sees","shape":[-1,2]}`, `{"datatype":"BYTES","name":"Tie.entity","shape":[-1,2]}`,
		`{"datatype":"FP32","name":"Digit","shape":[-1,28,28]}`, `{"datatype":"FP32","name":"Digit","shape":[-1,10]}`, `{"datatype":"BYTES","name":"atoms","shape":[-1]}`} {
		if !strings.Contains(string(text), part) {
			t.Errorf("metadata %s without %s", text, part)
		}
	}
	status, _, a := post(t, url+path+"/infer", []byte(`{"id": "x", "inputs": [
		{"name": "Tie.entity", "datatype": "BYTES", "shape": [1, 2], "data": [["a", "b"]]},
		{"name": "Sees", "datatype": "FP32", "shape": [2, 2], "data": [[-1, 2], [0.5, 0.25]]},
		{"name": "Sees.entity", "datatype": "BYTES", "shape": [2], "data": ["b", ""]},
		{"name": "Tie", "datatype": "FP32", "shape": [1, 1], "data": [-4]}]}`))
	if status != http.StatusOK || a["id"] != "x" {
		t.Fatal(status, a)
	}
	want, err := p.Predict([]modelfile.Input{
		{Network: "Sees", Entity: []string{"b"}, Features: []float32{-1, 2}}, {Network: "Sees", Features: []float32{.5, .25}},
		{Network: "Tie", Entity: []string{"a", "b"}, Features: []float32{-4}},
	})
	require.NoError(t, err)
	var sees []any
	for _, in := range want.Inputs[:2] {
		for _, o := range in.Outputs {
			sees = append(sees, o.Value)
		}
	}
	if got := tensorOf(t, a, "Sees"); !slices.Equal(got, sees) || len(tensorOf(t, a, "Digit")) != 0 {
		t.Errorf("Sees is %v, want %v", got, sees)
	}
	if got := tensorOf(t, a, "Tie"); len(got) != 1 || got[0] != want.Inputs[2].Outputs[0].Value {
		t.Errorf("Tie is %v, want %+v", got, want.Inputs[2])
	}
	atoms, values := tensorOf(t, a, "atoms"), tensorOf(t, a, "values")
	if len(atoms) != 4 || len(want.Atoms) != 4 {
		t.Fatalf("atoms %v, want %+v", atoms, want.Atoms)
	}
	for i, x := range want.Atoms {
		if atoms[i] != x.Atom || math.Abs(values[i].(float64)-x.Value) > 1e-12 {
			t.Errorf("%v = %v, want %+v", atoms[i], values[i], x)
		}
	}
	if gap := tensorOf(t, a, "gap"); len(gap) != 1 || gap[0].(float64) > 1e-2 || tensorOf(t, a, "unmet")[0] != "" {
		t.Errorf("gap %v", gap)
	}
	status, _, a = post(t, url+path+"/infer", []byte(`{"inputs": [{"name": "Sees", "datatype": "FP32", "shape": [1, 2], "data": [1, 1]}], "outputs": [{"name": "atoms"}, {"name": "Sees"}]}`))
	if outputs, _ := a["outputs"].([]any); status != http.StatusOK || len(outputs) != 2 || len(tensorOf(t, a, "atoms")) != 0 {
		t.Errorf("without entities: %d, %v", status, a)
	}
}

// TestFileRefuses: what cannot be answered is the request's fault, in words.
func TestFileRefuses(t *testing.T) {
	_, s, url := startedFile(t, Options{Examples: 2})
	in := func(name, datatype, shape, data string) string {
		return `{"name": "` + name + `", "datatype": "` + datatype + `", "shape": ` + shape + `, "data": ` + data + `}`
	}
	sees := in("Sees", "FP32", "[1, 2]", "[1, 2]")
	for want, inputs := range map[string]string{
		"there is no input":                             "",
		`input \"Is\" is none`:                          in("Is", "FP32", "[1, 2]", "[1, 2]"),
		`input \"Sees.entity\" is none, or entities`:    in("Sees.entity", "BYTES", "[1]", `["a"]`),
		`an input is given twice`:                       sees + "," + sees,
		"want FP32 and [n 2] with n ≥ 1":                in("Sees", "FP64", "[1, 2]", "[1, 2]"),
		"and shape [1 3]; want FP32":                    in("Sees", "FP32", "[1, 3]", "[1, 2, 3]"),
		"an array has 1 element, the shape says 2":      in("Sees", "FP32", "[1, 2]", "[1]"),
		`no entity \"nobody\" of Sees`:                  sees + "," + in("Sees.entity", "BYTES", "[1]", `["nobody"]`),
		"1e+39 is no finite number that FP32 holds":     in("Sees", "FP32", "[1, 2]", "[1, 1e39]"),
		"has 3 examples; at most 2 are answered":        in("Sees", "FP32", "[3, 2]", "[1, 2, 3, 4, 5, 6]"),
		"want BYTES and [1 2]":                          in("Tie", "FP32", "[1, 1]", "[1]") + "," + in("Tie.entity", "BYTES", "[1]", `["a"]`),
		`input \"Sees.entity\", data: text 0 is null`:   sees + "," + in("Sees.entity", "BYTES", "[1]", `[null]`),
		`\"Sees.entity\", data: text 0 is null`:         sees + "," + in("Sees.entity", "BYTES", "[1, 1]", `[[null]]`),
		`input \"Sees.entity\", data: want an array of`: sees + "," + in("Sees.entity", "BYTES", "[1]", `[1]`),
		`has 2 texts, the shape says 1`:                 sees + "," + in("Sees.entity", "BYTES", "[1]", `["a", "b"]`),
		"a is given twice to the network of Sees":       in("Sees", "FP32", "[2, 2]", "[1, 2, 3, 4]") + "," + in("Sees.entity", "BYTES", "[2]", `["a", "a"]`),
	} {
		status, _, a := post(t, url+"/v2/models/wanted/infer", []byte(`{"inputs": [`+inputs+`]}`))
		if text, _ := json.Marshal(a); status != http.StatusBadRequest || !strings.Contains(strings.ReplaceAll(string(text), `\u003e`, ">"), want) {
			t.Errorf("%s: %d %s, want %s", inputs, status, text, want)
		}
	}
	if status, _, a := post(t, url+"/v2/models/wanted/infer", []byte(`{"inputs": [`+sees+`], "outputs": [{"name": "Near"}]}`)); status != http.StatusBadRequest || !strings.Contains(a["error"].(string), `no output "Near"`) {
		t.Errorf("%d %v", status, a)
	}
	s.Close()
	s.Close()
	if status, _, a := post(t, url+"/v2/models/wanted/infer", []byte(`{"inputs": [`+sees+`]}`)); status != http.StatusServiceUnavailable {
		t.Errorf("after the end: %d %v", status, a)
	}
}

// TestFileRows: rows of a predicate, in tensors and in forms, are answered as the model answers them.
func TestFileRows(t *testing.T) {
	p := predictorOf(t, sums, map[string]string{"x.txt": "2\t1\t-1\n3\t0.5\t2\n4\t0\t1\n"})
	s := NewFile(Options{Log: slog.New(slog.DiscardHandler), Examples: 3}, p)
	h := httptest.NewServer(s)
	t.Cleanup(func() { h.Close(); s.Close() })
	url := h.URL + "/v2/models/wanted"
	const body = `{"inputs": [
		{"name": "Pair", "datatype": "BYTES", "shape": [2, 3], "data": [["p", "x", "4"], ["q", "4", "4"]]},
		{"name": "Digit", "datatype": "FP32", "shape": [1, 2], "data": [-1, 2]},
		{"name": "Digit.entity", "datatype": "BYTES", "shape": [1], "data": ["x"]}]}`
	rows := []modelfile.Row{{Predicate: "Pair", Fields: []string{"p", "x", "4"}}, {Predicate: "Pair", Fields: []string{"q", "4", "4"}}}
	status, _, a := post(t, url+"/infer", []byte(body))
	require.Equal(t, http.StatusOK, status, a)
	want, err := p.Predict([]modelfile.Input{{Network: "Digit", Entity: []string{"x"}, Features: []float32{-1, 2}}}, rows...)
	require.NoError(t, err)
	atoms, values, holds := tensorOf(t, a, "atoms"), tensorOf(t, a, "values"), tensorOf(t, a, "holds")
	require.Len(t, atoms, 6)
	for i, x := range want.Atoms {
		if atoms[i] != x.Atom || math.Abs(values[i].(float64)-x.Value) > 1e-12 || holds[i] != -1. {
			t.Errorf("%v = %v, %v; want %+v", atoms[i], values[i], holds[i], x)
		}
	}
	status, a = postForm(t, url+"/explain", "Digit:x", "-1 2", "pair", "p, x, 4\nq\t4\t4\n")
	require.Equal(t, http.StatusOK, status, a)
	text, _ := json.Marshal(a)
	var got modelfile.Prediction
	require.NoError(t, json.Unmarshal(text, &got))
	require.Equal(t, want.Atoms, got.Atoms)
	status, _, a = post(t, url+"/infer", []byte(`{"inputs": [{"name": "Pair", "datatype": "BYTES", "shape": [2, 3], "data": [["q", "3"], ["4", "r", "4", "x"]]}]}`))
	require.Equal(t, http.StatusBadRequest, status, a)
	assert.Contains(t, a["error"], "array 0 has 2 texts, the shape says 3")
	for want, parts := range map[string][]string{
		"row 1: z has no features":      {"Pair", "p,z,4"},
		"row 2: 2 fields":               {"Pair", "p,4,4\nq,4"},
		"more than 3 inputs and rows":   {"Pair", "a,4,4\nb,4,4\nc,4,4\nd,4,4"},
		`has an input "x", which is in`: {"Digit:x", "1 2", "Pair", "p,4,4"},
	} {
		if status, a := postForm(t, url+"/explain", parts...); status != http.StatusBadRequest || !strings.Contains(a["error"].(string), want) {
			t.Errorf("%d %v, want %s", status, a, want)
		}
	}
	if page, _ := get(t, h.URL); !strings.Contains(page, `data-rows="Pair"`) || !strings.Contains(page, "Rows of 3 fields") {
		t.Error("the page takes no rows")
	}
}

// TestHolds: values are compared with the predicate's threshold.
func TestHolds(t *testing.T) {
	p := &modelfile.Prediction{Atoms: []mapstate.AtomValue{{Atom: "A(x)", Value: .4}, {Atom: "A(y)", Value: .39}, {Atom: "B(x)", Value: 1}}, Thresholds: model.Thresholds{"A": .4}}
	if got := filled(tensorKind{"holds", "INT64", []int{-1}}, p); !slices.Equal(got.Data.([]int64), []int64{1, 0, -1}) || !slices.Equal(got.Shape, []int{3}) {
		t.Errorf("%+v", got)
	}
}

// TestFileExplain: a form of numbers in text and of pictures is answered as the model answers
// them; the page asks so.
func TestFileExplain(t *testing.T) {
	p, _, url := startedFile(t, Options{Examples: 3})
	const path = "/v2/models/wanted/explain"
	picture := string(drawing(t, 40, 40))
	status, a := postForm(t, url+path, "Sees:b", " -1, 2\n", "tie:a,b", "-4", "Digit:7", picture)
	if status != http.StatusOK {
		t.Fatal(status, a)
	}
	text, _ := json.Marshal(a)
	var got modelfile.Prediction
	require.NoError(t, json.Unmarshal(text, &got))
	want, err := p.Predict([]modelfile.Input{
		{Network: "Sees", Entity: []string{"b"}, Features: []float32{-1, 2}}, {Network: "Tie", Entity: []string{"a", "b"}, Features: []float32{-4}},
	})
	require.NoError(t, err)
	if len(got.Inputs) != 3 || !slices.Equal(got.Inputs[0].Outputs, want.Inputs[0].Outputs) || !got.Inputs[2].Known || len(got.Inputs[2].Outputs) != 10 ||
		len(got.Atoms) != 5 || len(got.Others) != 1 || got.Certificate == nil || got.Explanation == nil {
		t.Errorf("%s", text)
	}
	// An entity that the partition lacks is answered by the network alone.
	status, a = postForm(t, url+path, "Sees:nobody", "-1 2")
	input := a["inputs"].([]any)[0].(map[string]any)
	assert.Equal(t, []any{http.StatusOK, false, []any{}}, []any{status, input["known"], a["atoms"]})
	assert.Len(t, input["outputs"], len(want.Inputs[0].Outputs))
	for want, parts := range map[string][]string{
		"the form is empty":                             nil,
		`input 2: "one" is no number`:                   {"Sees", "1 2", "Sees", "one"},
		"input 1: 1 number for the network of Sees":     {"Sees", "1"},
		`"Is" is no predicate that describes a network`: {"Is", "1"},
		"of Sees takes inputs of shape [2]; send its":   {"Sees", picture},
		"more than 3 inputs and rows":                   {"Sees", "1 2", "Sees", "1 2", "Sees", "1 2", "Sees", "1 2"},
		"input 1: an entity of Tie has 2 fields, not 1": {"Tie:a", "1"},
		`"1e99" is no number that a float32 holds`:      {"Sees", "1e99 2"},
	} {
		if status, a := postForm(t, url+path, parts...); status != http.StatusBadRequest || !strings.Contains(a["error"].(string), want) {
			t.Errorf("%d %v, want %s", status, a, want)
		}
	}
	page, header := get(t, url)
	for _, part := range []string{"<h1>wanted</h1>", `data-network="Tie"`, `<option value="a,b">`, "784 numbers (28 × 28)", `class="picture"`, fileScript} {
		if !strings.Contains(page, part) {
			t.Errorf("the page lacks %.60s", part)
		}
	}
	if policy := header.Get("Content-Security-Policy"); !strings.Contains(policy, digest(fileScript)) || strings.Count(page, `class="picture"`) != 1 {
		t.Errorf("policy %s", policy)
	}
}

// TestEntityNames: a name may hold a comma, and the quotes that forms write as %22; the page offers it as it is asked for.
func TestEntityNames(t *testing.T) {
	const comma, quoted = "Roe, Ann", `the "Old" one`
	p := predictorOf(t, `{"rules": ["1: N(A) = Y(A) ^2", "1: M(A, B) = Y(A) ^2", "1: Asked(A) & N(A) -> Y(A)"], "predicates": {"Asked/1": {"observations": [["Roe, Ann"]]},
		"N/1": {"network": {"model": "mlp", "features": "x.txt"}, "targets": [["Roe, Ann"], ["the \"Old\" one"]]},
		"M/2": {"network": {"model": "mlp", "features": "pairs.txt"}, "targets": [["Roe, Ann", "x"]]},
		"Y/1": {"targets": [["Roe, Ann"], ["the \"Old\" one"]], "truth": [["Roe, Ann"]], "evaluations": ["DiscreteEvaluator"]}}}`, map[string]string{"x.txt": comma + "\t1\n" + quoted + "\t2\n", "pairs.txt": comma + "\tx\t3\n"})
	s := NewFile(Options{Log: slog.New(slog.DiscardHandler)}, p)
	h := httptest.NewServer(s)
	t.Cleanup(func() { h.Close(); s.Close() })
	status, a := postForm(t, h.URL+"/v2/models/wanted/explain", "N:"+comma, "1", "N:"+strings.ReplaceAll(quoted, `"`, "%22"), "2", "M:"+comma+"\tx", "3")
	require.Equal(t, http.StatusOK, status, a)
	for i, want := range [][]any{{comma}, {quoted}, {comma, "x"}} {
		in := a["inputs"].([]any)[i].(map[string]any)
		assert.Equal(t, []any{want, true}, []any{in["entity"], in["known"]})
	}
	page, _ := get(t, h.URL)
	assert.Contains(t, page, `<option value="Roe, Ann">`)
	assert.Contains(t, page, "<option value=\"Roe, Ann\tx\">")
	// A row of one argument is its line; Asked knows no other name, or the row would be one.
	status, a = postForm(t, h.URL+"/v2/models/wanted/explain", "Asked", quoted+", and so on")
	assert.Equal(t, http.StatusBadRequest, status, a)
	assert.Contains(t, a["error"], "and so on has no features")
}

// TestHoldsAtTheThreshold: a value that is the threshold in six decimals is at least it, as in a test.
func TestHoldsAtTheThreshold(t *testing.T) {
	p := &modelfile.Prediction{Thresholds: map[string]float64{"T": 0.3335053}}
	for atom, v := range map[string]float64{"T(a)": 0.333505, "T(b)": 0.33350, "U(a)": 1} {
		p.Atoms = []mapstate.AtomValue{{Atom: atom, Value: v}}
		want := map[string]int64{"T(a)": 1, "T(b)": 0, "U(a)": -1}[atom]
		assert.Equal(t, []int64{want}, filled(tensorKind{Name: "holds"}, p).Data, atom)
	}
}

// TestOwnPicture: a picture for a network that learned from a folder of pictures is read as those are, also where
// they have the size of MNIST's digits.
func TestOwnPicture(t *testing.T) {
	img := image.NewGray(image.Rect(0, 0, 28, 28))
	for i := range img.Pix {
		img.Pix[i] = uint8(i % 256)
	}
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, img))
	p := predictorOf(t, `{"rules": ["1: N(A, B) = Y(A, B) ^2"], "predicates": {
		"N/2": {"network": {"model": "mlp", "layers": [2], "classes": ["x", "y"], "features": "pics/"}, "targets": [["a", "x"], ["a", "y"]]},
		"Y/2": {"targets": [["a", "x"], ["a", "y"]], "truth": [["a", "x", 1]], "evaluations": ["CategoricalEvaluator"]}}}`, map[string]string{"pics/a.png": b.String()})
	s := NewFile(Options{Log: slog.New(slog.DiscardHandler)}, p)
	defer s.Close()
	m := &fileModel{Server: s, model: p, kinds: p.Inputs()}
	in, err := m.input("N:a", b.Bytes())
	require.NoError(t, err)
	require.Len(t, in.Features, len(img.Pix))
	for i, v := range in.Features {
		require.Equal(t, float32(img.Pix[i])/255, v, i)
	}
}
