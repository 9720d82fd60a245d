package serve

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/nn"
	"hinge/train/learning"
	"hinge/train/mapstate"
	"hinge/train/modelfile"
)

// The paths of the protocol that take GET say what it says they do.
func TestMetadata(t *testing.T) {
	s, h := started(t, &fake{layout: pairs}, Options{})
	get := func(path string) (int, string) {
		r, err := http.Get(h.URL + path)
		require.NoError(t, err)
		status, _, answer := answered(t, r)
		text, err := json.Marshal(answer)
		require.NoError(t, err)
		return status, string(text)
	}
	for path, want := range map[string]string{
		"/v2":                    `{"extensions":["binary_tensor_data","model_repository","model_configuration","statistics","explain"],"name":"hinge","version":"2"}`,
		"/v2/health/live":        `{"live":true}`,
		"/v2/health/ready":       `{"ready":true}`,
		"/v2/models/pairs/ready": `{"name":"pairs","ready":true}`,
		"/v2/models/pairs": `{"inputs":[{"datatype":"FP32","name":"images","shape":[-1,2,28,28]}],"name":"pairs",` +
			`"outputs":[{"datatype":"INT64","name":"answer","shape":[-1]},{"datatype":"FP32","name":"digits","shape":[-1,2,10]},` +
			`{"datatype":"FP64","name":"gap","shape":[-1]},{"datatype":"FP64","name":"violation","shape":[-1]},` +
			`{"datatype":"BYTES","name":"unmet","shape":[-1]},{"datatype":"BOOL","name":"tied","shape":[-1]}],"platform":"hinge","versions":["1"]}`,
		"/v2/models/pairs/versions/1/ready": `{"name":"pairs","ready":true}`,
	} {
		if status, got := get(path); status != http.StatusOK || got != want {
			t.Errorf("%s: %d %s, want %s", path, status, got, want)
		}
	}
	for path, want := range map[string]string{
		"/v2/models/other":            `there is no model \"other\"; there is \"pairs\"`,
		"/v2/models/pairs/versions/2": `pairs has no version \"2\"; it has \"1\"`,
		"/nowhere":                    `there is nothing at \"/nowhere\"`,
	} {
		if status, got := get(path); status != http.StatusNotFound || !strings.Contains(got, want) {
			t.Errorf("%s: %d %s, want %s", path, status, got, want)
		}
	}
	r, err := http.Get(h.URL + inferPath)
	require.NoError(t, err)
	if status, header, answer := answered(t, r); status != http.StatusMethodNotAllowed || header.Get("Allow") != "POST" || answer["error"] != inferPath+" takes POST, not GET" {
		t.Errorf("GET of %s: %d, Allow %q, %v", inferPath, status, header.Get("Allow"), answer)
	}
	for _, path := range []string{"/", "/metrics", "/v2"} {
		if status, header, answer := post(t, h.URL+path, nil); status != http.StatusMethodNotAllowed || header.Get("Allow") != "GET" || answer["error"] != path+" takes GET, not POST" {
			t.Errorf("POST of %s: %d, Allow %q, %v", path, status, header.Get("Allow"), answer)
		}
	}
	s.ending.Store(true)
	for _, path := range []string{"/v2/health/ready", "/v2/models/pairs/ready"} {
		if status, got := get(path); status != http.StatusServiceUnavailable {
			t.Errorf("%s while ending: %d %s", path, status, got)
		}
	}
}

// A request is answered with its id, the outputs it asks for in its order, and the
// numbers of each example at its place, whether its data are flat or nested.
func TestInfer(t *testing.T) {
	_, h := started(t, &fake{layout: pairs}, Options{})
	q := request([2]uint8{3, 4}, [2]uint8{50, 1})
	q["id"] = "mine"
	_, _, answer := post(t, h.URL+inferPath, body(t, q))
	if answer["id"] != "mine" || answer["model_name"] != "pairs" || fmt.Sprint(tensorOf(t, answer, "answer")) != "[7 51]" ||
		fmt.Sprint(tensorOf(t, answer, "gap")) != "[1e-09 1e-09]" || fmt.Sprint(tensorOf(t, answer, "unmet")) != "[ ]" {
		t.Errorf("%v", answer)
	}
	if g := tensorOf(t, answer, "digits"); len(g) != 40 || g[3] != 1.0 || g[15] != 1.0 || g[20] != 1.0 || g[32] != 1.0 {
		t.Errorf("beliefs %v", g)
	}
	first := answer["outputs"].([]any)[0].(map[string]any)
	if first["name"] != "answer" || first["datatype"] != "INT64" || fmt.Sprint(first["shape"]) != "[2]" {
		t.Errorf("%v", first)
	}

	delete(q, "id")
	q["outputs"] = []any{map[string]any{"name": "gap"}, map[string]any{"name": "answer", "parameters": map[string]any{"binary_data": false}}}
	in := q["inputs"].([]any)[0].(map[string]any)
	in["data"] = nested(in["data"].([]float64), 2, 2, 28, 28)
	_, _, answer = post(t, h.URL+inferPath, body(t, q))
	if _, ok := answer["id"]; ok || len(answer["outputs"].([]any)) != 2 || answer["outputs"].([]any)[0].(map[string]any)["name"] != "gap" ||
		fmt.Sprint(tensorOf(t, answer, "answer")) != "[7 51]" {
		t.Errorf("nested, two outputs: %v", answer)
	}
}

// nested lays a flat tensor out by its shape.
func nested(data []float64, shape ...int) any {
	if len(shape) == 1 {
		return data
	}
	var out []any
	for part := range slices.Chunk(data, len(data)/shape[0]) {
		out = append(out, nested(part, shape[1:]...))
	}
	return out
}

// A system without rules has no certificate to show; hard rules that cannot be met are named, and other
// answers that are as good are told of.
func TestInferCertificate(t *testing.T) {
	l := pairs
	l.Rules = false
	_, without := started(t, &fake{layout: l}, Options{})
	if _, _, answer := infer(t, without.URL, [2]uint8{3, 4}); len(answer["outputs"].([]any)) != 2 {
		t.Errorf("%v", answer)
	}
	_, h := started(t, &fake{layout: pairs, unmet: []string{"A(x) .", "B(x) ."}, tied: true}, Options{})
	_, _, answer := infer(t, h.URL, [2]uint8{3, 4})
	assert.Equal(t, []any{true}, tensorOf(t, answer, "tied"))
	if got := tensorOf(t, answer, "unmet")[0]; got != "A(x) .\nB(x) ." {
		t.Errorf("%v", got)
	}
}

// TestInferNoAnswer: where hard rules contradict each other there is no MAP state, and so no gap and no violation: null,
// NaN in bytes, absent in reasons and not counted.
func TestInferNoAnswer(t *testing.T) {
	_, h := started(t, &fake{layout: pairs, unmet: []string{"A(x) ."}}, Options{})
	_, _, answer := infer(t, h.URL, [2]uint8{hopeless, 4}, [2]uint8{3, 4})
	assert.Equal(t, []any{-1., 7.}, tensorOf(t, answer, "answer"))
	assert.Equal(t, []any{nil, 1e-9}, tensorOf(t, answer, "gap"))
	assert.Equal(t, []any{nil, 0.}, tensorOf(t, answer, "violation"))
	assert.Equal(t, []any{"A(x) .", "A(x) ."}, tensorOf(t, answer, "unmet"))
	text, _ := get(t, h.URL+"/metrics")
	assert.Contains(t, text, "hinge_answer_gap_count 1")
	assert.Contains(t, text, "hinge_unmet_total 2")
	q := request([2]uint8{hopeless, 4}, [2]uint8{3, 4})
	q["outputs"] = []any{map[string]any{"name": "gap", "parameters": map[string]any{"binary_data": true}}}
	_, raw := sendBytes(t, h.URL+inferPath, body(t, q))
	gaps := raw[len(raw)-16:]
	assert.True(t, math.IsNaN(math.Float64frombits(binary.LittleEndian.Uint64(gaps))))
	assert.Equal(t, 1e-9, math.Float64frombits(binary.LittleEndian.Uint64(gaps[8:])))
	shown, _ := encode(explained{Certificate: &mapstate.Certificate{Status: "infeasible", Unmet: []string{"A(x) ."}}})
	assert.Contains(t, string(shown), `"certificate":{"status":"infeasible","unmet":["A(x) ."]}`)
	// Of a model file such a tensor is empty.
	p := &modelfile.Prediction{Certificate: &mapstate.Certificate{Unmet: []string{"A(x) ."}}}
	for _, name := range []string{"gap", "violation"} {
		assert.Equal(t, []int{0}, filled(tensorKind{name, "FP64", []int{-1}}, p).Shape, name)
	}
	assert.Equal(t, []string{"A(x) ."}, filled(tensorKind{"unmet", "BYTES", []int{-1}}, p).Data)
}

// What cannot be read is answered with 400 and with what is wrong.
func TestInferRefuses(t *testing.T) {
	_, h := started(t, &fake{layout: pairs}, Options{Examples: 3, Body: 200 << 10})
	with := func(change func(q, in map[string]any)) []byte {
		q := request([2]uint8{3, 4})
		change(q, q["inputs"].([]any)[0].(map[string]any))
		return body(t, q)
	}
	whole := body(t, request([2]uint8{3, 4}))
	for name, c := range map[string]struct {
		body   []byte
		status int
		want   string
	}{
		"empty":         {nil, 400, "the body is empty"},
		"no JSON":       {[]byte("hello"), 400, "invalid character 'h'"},
		"half":          {whole[:len(whole)/2], 400, "the body, or the JSON at its beginning, ends too early"},
		"more":          {append(slices.Clone(whole), '{'), 400, "goes on after the request"},
		"another":       {slices.Concat(whole, whole), 400, "goes on after the request"},
		"garbage":       {append(slices.Clone(whole), "x]"...), 400, "goes on after the request"},
		"array":         {[]byte("[]"), 400, "cannot unmarshal array"},
		"deep":          {[]byte(`{"inputs":` + strings.Repeat("[", 20000)), 400, "exceeded max depth"},
		"unknown field": {with(func(q, _ map[string]any) { q["output"] = 1 }), 400, `unknown field "output"`},
		"a key twice":   {slices.Concat([]byte(`{"inputs": [],`), whole[1:]), 400, `the key "inputs" is twice in an object`},
		"twice within":  {bytes.Replace(whole, []byte(`"name"`), []byte(`"n\u0061me": "x", "name"`), 1), 400, `the key "name" is twice`},
		"other letters": {bytes.Replace(whole, []byte(`"name"`), []byte(`"NAME": "x", "name"`), 1), 400, `there is no key "NAME", want name`},
		"other inputs":  {bytes.Replace(whole, []byte(`"inputs"`), []byte(`"Inputs"`), 1), 400, `there is no key "Inputs", want inputs`},
		"parameters free": {with(func(q, in map[string]any) {
			q["parameters"], in["parameters"], in["shape"] = map[string]any{"ID": 1}, map[string]any{"Name": 1}, []int{0}
		}), 400, "want [n 2 28 28]"},
		"not a number":     {[]byte(`{"inputs": [{"name": "images", "data": [[0.5, NaN]]}]}`), 400, `after "data": JSON has no numbers NaN and Infinity`},
		"infinite":         {[]byte(`{"inputs": [{"shape": [1, -Infinity]}]}`), 400, `after "shape": JSON has no numbers NaN and Infinity`},
		"not a body":       {[]byte(`NaN`), 400, "JSON has no numbers NaN and Infinity"},
		"half a character": {slices.Concat([]byte(`{"id": "\ud800",`), whole[1:]), 400, `\ud800 is half a pair of surrogates`},
		"no UTF-8":         {slices.Concat([]byte("{\"id\": \"\xff\","), whole[1:]), 400, `the text is not UTF-8`},
		"id a number":      {with(func(q, _ map[string]any) { q["id"] = 3 }), 400, "id of type string"},
		"no inputs":        {with(func(q, _ map[string]any) { q["inputs"] = []any{} }), 400, `0 inputs; want one, "images"`},
		"other input":      {with(func(_, in map[string]any) { in["name"] = "image" }), 400, `input "image" is none; want "images"`},
		"other type":       {with(func(_, in map[string]any) { in["datatype"] = "UINT8" }), 400, `datatype "UINT8"; want "FP32"`},
		"fewer dimensions": {with(func(_, in map[string]any) { in["shape"] = []int{1, 2, 784} }), 400, "shape [1 2 784]; want [n 2 28 28]"},
		"other sides":      {with(func(_, in map[string]any) { in["shape"] = []int{1, 2, 28, 27} }), 400, "want [n 2 28 28]"},
		"no examples":      {with(func(_, in map[string]any) { in["shape"] = []int{0, 2, 28, 28} }), 400, "n ≥ 1"},
		"many examples":    {with(func(_, in map[string]any) { in["shape"] = []int{1 << 60, 2, 28, 28} }), 400, "at most 3 are answered at once"},
		"short data":       {with(func(_, in map[string]any) { in["data"] = in["data"].([]float64)[:1567] }), 400, "number 1567: an array has 1567 elements, the shape says 1568"},
		"long data":        {with(func(_, in map[string]any) { in["data"] = append(in["data"].([]float64), 0) }), 400, "more than the 1568 elements"},
		"no data":          {with(func(_, in map[string]any) { delete(in, "data") }), 400, "want an array of 1568 numbers"},
		"data a word":      {with(func(_, in map[string]any) { in["data"] = "AAAA" }), 400, "want an array of 1568 numbers"},
		"words in data":    {with(func(_, in map[string]any) { in["data"] = slices.Repeat([]string{"0"}, 1568) }), 400, "is not a number"},
		"null in data":     {with(func(_, in map[string]any) { in["data"] = make([]any, 1568) }), 400, "\"null\" is not a number"},
		"above 1":          {with(func(_, in map[string]any) { in["data"].([]float64)[9] = 1.5 }), 400, "number 9: 1.5 is outside [0, 1]"},
		"below 0":          {with(func(_, in map[string]any) { in["data"].([]float64)[9] = -1e-9 }), 400, "outside [0, 1]"},
		"wrong nesting":    {with(func(_, in map[string]any) { in["data"] = nested(in["data"].([]float64), 1, 4, 14, 28) }), 400, "the shape says"},
		"flat within":      {with(func(_, in map[string]any) { in["data"] = []any{in["data"]} }), 400, "want an array of 2"},
		"unknown output":   {with(func(q, _ map[string]any) { q["outputs"] = []any{map[string]any{"name": "sum"}} }), 400, `no output "sum"; there are answer, digits, gap, violation, unmet, tied`},
		"outputs twice":    {with(func(q, _ map[string]any) { q["outputs"] = slices.Repeat([]any{map[string]any{"name": "answer"}}, 2) }), 400, `the output "answer" is asked for twice`},
		"no bytes":         {with(func(_, in map[string]any) { in["parameters"] = map[string]any{"binary_data_size": 9} }), 400, "has data and binary_data_size"},
		"bytes beyond": {with(func(_, in map[string]any) {
			delete(in, "data")
			in["parameters"] = map[string]any{"binary_data_size": 9}
		}), 400, "behind the JSON there are 0 bytes"},
		"odd parameter": {with(func(q, _ map[string]any) { q["parameters"] = map[string]any{"binary_data_output": 1} }), 400, "binary_data_output is 1, want"},
		"classification": {with(func(q, _ map[string]any) {
			q["outputs"] = []any{map[string]any{"name": "digits", "parameters": map[string]any{"classification": 2}}}
		}), 400, "the parameter classification is of an extension that this server lacks"},
		"too large": {slices.Concat(whole[:len(whole)-1], slices.Repeat([]byte(" "), 300<<10)), 413, "larger than 204800 bytes"},
	} {
		status, _, answer := post(t, h.URL+inferPath, c.body)
		text, _ := answer["error"].(string)
		if status != c.status || !strings.Contains(text, c.want) || strings.Contains(text, `after ""`) || len(text) > 300 {
			t.Errorf("%s: %d %q, want %d %q", name, status, text, c.status, c.want)
		}
	}
	for _, mark := range []string{"", "\uFEFF"} { // which RFC 8259 lets a reader pass over
		if status, _, answer := post(t, h.URL+inferPath, append([]byte(mark), whole...)); status != 200 {
			t.Errorf("afterwards: %d %v", status, answer)
		}
	}
}

var _ learning.Answers = (*fake)(nil)

// A network whose output is not a number is no fault of the server.
func TestDivergedStatus(t *testing.T) {
	assert.Equal(t, 422, new(Server).status(fmt.Errorf("the network: %w", &nn.DivergedError{})))
}
