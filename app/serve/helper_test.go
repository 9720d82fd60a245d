package serve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"hinge/data/mnist"
	"hinge/train/learning"
	"hinge/train/mapstate"
)

// fake answers with the sum of the first pixels of an example's images, and believes that
// image k shows k more than its first pixel.
type fake struct {
	layout learning.Layout
	delay  time.Duration
	unmet  []string
	tied   bool
	// poisonous examples have poison as their first pixel, which panics, or as their second,
	// which is an error.
	poisonous bool
	// gate, unless nil, is received from before every batch.
	gate chan struct{}

	mu      sync.Mutex
	batches []int
	last    []learning.Answer // of the last batch
}

const (
	poison = 13
	// hopeless is the first pixel of an example that has no answer.
	hopeless = 17
)

var pairs = learning.Layout{Images: 2, Height: mnist.Side, Width: mnist.Side, Classes: mnist.Classes, Rules: true}

func (f *fake) Layout() learning.Layout { return f.layout }

func (f *fake) Answer(examples [][]uint8) ([]learning.Answer, error) {
	if f.gate != nil {
		<-f.gate
	}
	time.Sleep(f.delay)
	f.mu.Lock()
	f.batches = append(f.batches, len(examples))
	f.mu.Unlock()
	out := make([]learning.Answer, len(examples))
	for i, e := range examples {
		if f.poisonous && e[0] == poison {
			panic("poisoned")
		}
		if f.poisonous && e[1] == poison {
			return nil, fmt.Errorf("poisoned")
		}
		beliefs := make([]float32, f.layout.Images*f.layout.Classes)
		for k := range f.layout.Images {
			first := e[k*f.layout.Height*f.layout.Width]
			out[i].Answer += int64(first)
			beliefs[k*f.layout.Classes+(int(first)+k)%f.layout.Classes] = 1
		}
		out[i].Beliefs, out[i].Tied = beliefs, f.tied
		if f.layout.Rules {
			out[i].Certificate = &mapstate.Certificate{Status: "solved", Judgement: &mapstate.Judgement{Gap: 1e-9}, Unmet: f.unmet}
			if e[0] == hopeless {
				out[i].Answer, out[i].Certificate = learning.NoAnswer, &mapstate.Certificate{Status: "infeasible", Unmet: f.unmet}
			}
		}
	}
	f.last = out
	return out, nil
}

// Why explains an answer of the last batch by an atom with the answer in it.
func (f *fake) Why(example int) *learning.Why {
	if !f.layout.Rules {
		return nil
	}
	return &learning.Why{
		Explanation: &mapstate.Explanation{Energy: 0.25, BrokenRules: []mapstate.BrokenRule{}},
		Supports:    []mapstate.Support{{AtomValue: mapstate.AtomValue{Atom: fmt.Sprintf("Sum(%d)", f.last[example].Answer), Value: 1}, Up: 0.5, Forces: []mapstate.RuleForce{}}},
	}
}

// started is a server of a model, in front of which a test stands.
func started(t testing.TB, model learning.Answers, o Options) (*Server, *httptest.Server) {
	t.Helper()
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := New("pairs", o, model)
	h := httptest.NewServer(s)
	t.Cleanup(func() { h.Close(); s.Close() })
	return s, h
}

// request is the body of a request whose examples have these first pixels, flat.
func request(examples ...[2]uint8) map[string]any {
	var data []float64
	for _, e := range examples {
		for _, first := range e {
			image := make([]float64, mnist.Pixels)
			image[0] = float64(first) / 255
			data = append(data, image...)
		}
	}
	return map[string]any{"inputs": []any{map[string]any{
		"name": "images", "datatype": "FP32", "shape": []int{len(examples), 2, 28, 28}, "data": data,
	}}}
}

// body is a request as it is sent.
func body(t testing.TB, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	require.NoError(t, err)
	return data
}

// post sends a body to a path and returns status, header and the answer.
func post(t testing.TB, url string, data []byte) (int, http.Header, map[string]any) {
	t.Helper()
	r, err := http.Post(url, "application/json", bytes.NewReader(data))
	require.NoError(t, err)
	return answered(t, r)
}

// postForm sends a multipart form of named parts, and returns status and answer.
func postForm(t testing.TB, url string, parts ...string) (int, map[string]any) {
	t.Helper()
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	for i := 0; i < len(parts); i += 2 {
		require.NoError(t, w.WriteField(parts[i], parts[i+1]))
	}
	require.NoError(t, w.Close())
	r, err := http.Post(url, w.FormDataContentType(), &form)
	require.NoError(t, err)
	status, _, answer := answered(t, r)
	return status, answer
}

// get reads a page.
func get(t testing.TB, url string) (string, http.Header) {
	t.Helper()
	r, err := http.Get(url)
	require.NoError(t, err)
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	return string(text), r.Header
}

// infer asks a server of pairs for the examples with these first pixels.
func infer(t testing.TB, url string, examples ...[2]uint8) (int, http.Header, map[string]any) {
	t.Helper()
	return post(t, url+inferPath, body(t, request(examples...)))
}

func answered(t testing.TB, r *http.Response) (int, http.Header, map[string]any) {
	t.Helper()
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	var out map[string]any
	require.NoErrorf(t, json.Unmarshal(text, &out), "%s", text)
	return r.StatusCode, r.Header, out
}

const inferPath = "/v2/models/pairs/infer"

// tensorOf is the data of an output of an answer.
func tensorOf(t testing.TB, answer map[string]any, name string) []any {
	t.Helper()
	outputs, _ := answer["outputs"].([]any)
	for _, o := range outputs {
		if o := o.(map[string]any); o["name"] == name {
			return o["data"].([]any)
		}
	}
	t.Fatalf("no output %s in %v", name, answer)
	return nil
}
