package serve

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// binaryRequest is the JSON of a request for one pair, whose bytes follow.
var binaryRequest = []byte(`{"id":"x","inputs":[{"name":"images","datatype":"FP32","shape":[1,2,28,28],"parameters":{"binary_data_size":6272}}],` +
	`"outputs":[{"name":"unmet","parameters":{"binary_data":true}},{"name":"answer","parameters":{"binary_data":null}},{"name":"gap","parameters":{"binary_data":true}}]}`)

// sendBytes posts a body with headers, given by turns with their values.
func sendBytes(t *testing.T, url string, body []byte, headers ...string) (*http.Response, []byte) {
	t.Helper()
	q, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(body))
	require.NoError(t, err)
	for i := 0; i < len(headers); i += 2 {
		q.Header.Add(headers[i], headers[i+1])
	}
	r, err := http.DefaultClient.Do(q)
	require.NoError(t, err)
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	return r, text
}

// TestBinary has the bytes that the extension prescribes: little-endian numbers, texts behind
// their lengths, behind the JSON in the order of the tensors.
func TestBinary(t *testing.T) {
	_, h := started(t, &fake{layout: pairs, unmet: []string{"ä."}}, Options{Body: 32 << 10})
	pixels := make([]byte, 4*2*28*28)
	binary.LittleEndian.PutUint32(pixels, math.Float32bits(3./255))
	binary.LittleEndian.PutUint32(pixels[4*784:], math.Float32bits(4./255))
	whole, length := append(bytes.Clone(binaryRequest), pixels...), strconv.Itoa(len(binaryRequest))
	check := func(r *http.Response, text []byte) {
		t.Helper()
		n, err := strconv.Atoi(r.Header.Get("Inference-Header-Content-Length"))
		if err != nil || r.StatusCode != 200 || r.Header.Get("Content-Type") != "application/octet-stream" {
			t.Fatalf("%d %v %s", r.StatusCode, r.Header, text)
		}
		want := `{"model_name":"pairs","model_version":"1","id":"x","outputs":[{"name":"unmet","datatype":"BYTES","shape":[1],"parameters":{"binary_data_size":7}},` +
			`{"name":"answer","datatype":"INT64","shape":[1],"data":[7]},{"name":"gap","datatype":"FP64","shape":[1],"parameters":{"binary_data_size":8}}]}`
		if got := strings.TrimSpace(string(text[:n])); got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
		gap := binary.LittleEndian.AppendUint64(nil, math.Float64bits(1e-9))
		if got, want := string(text[n:]), "\x03\x00\x00\x00ä."+string(gap); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	check(sendBytes(t, h.URL+"/v2/models/pairs/versions/1/infer", whole, headerLength, length))
	var zip, deflated bytes.Buffer
	z, d := gzip.NewWriter(&zip), zlib.NewWriter(&deflated)
	for _, w := range []io.WriteCloser{z, d} {
		_, err := w.Write(whole)
		require.NoError(t, err)
		require.NoError(t, w.Close())
	}
	check(sendBytes(t, h.URL+inferPath, zip.Bytes(), headerLength, length, "Content-Encoding", "gzip"))
	check(sendBytes(t, h.URL+inferPath, zip.Bytes(), headerLength, length, "Content-Encoding", "x-gzip")) // RFC 9110, 8.4.1.3
	check(sendBytes(t, h.URL+inferPath, deflated.Bytes(), headerLength, length, "Content-Encoding", "deflate"))

	var bomb bytes.Buffer
	z.Reset(&bomb)
	_, err := z.Write(make([]byte, 1<<20))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	nan := bytes.Clone(whole)
	binary.LittleEndian.PutUint32(nan[len(binaryRequest):], math.Float32bits(float32(math.NaN())))
	for want, c := range map[string]struct {
		status  int
		body    []byte
		headers []string
	}{
		"larger than 32768 bytes":                                  {413, bomb.Bytes(), []string{"Content-Encoding", "gzip"}},
		"does not begin as gzip":                                   {400, whole, []string{"Content-Encoding", "gzip"}},
		`compressed by "br"; want gzip, deflate`:                   {415, whole, []string{"Content-Encoding", "br"}},
		`compressed by "gzip, deflate"; want`:                      {415, whole, []string{"Content-Encoding", "gzip", "Content-Encoding", "deflate"}},
		"the body is multipart/form-data; want JSON here":          {415, whole, []string{"Content-Type", "multipart/form-data; boundary=b"}},
		"6271 bytes for it":                                        {400, whole[:len(whole)-1], []string{headerLength, length}},
		"goes on after the request: 1 bytes":                       {400, append(bytes.Clone(whole), 0), []string{headerLength, length}},
		"the body goes on after the request":                       {400, whole, nil},
		"the JSON at its beginning, ends too early":                {400, whole, []string{headerLength, "10"}},
		`Inference-Header-Content-Length is "-1"; want the length`: {400, whole, []string{headerLength, "-1"}},
		"number 0: NaN is outside [0, 1]":                          {400, nan, []string{headerLength, length}},
	} {
		r, text := sendBytes(t, h.URL+inferPath, c.body, c.headers...)
		if r.StatusCode != c.status || !strings.Contains(strings.ReplaceAll(string(text), `\"`, `"`), want) {
			t.Errorf("%d %s, want %d %s", r.StatusCode, text, c.status, want)
		}
	}
}

// TestTexts reads and refuses the bytes of texts.
func TestTexts(t *testing.T) {
	for _, list := range [][]string{nil, {""}, {"ä", "", "b\x00"}} {
		got, err := textsOf((&tensor{Data: list}).raw())
		if err != nil || fmt.Sprintf("%q", got) != fmt.Sprintf("%q", list) {
			t.Errorf("%q becomes %q, %v", list, got, err)
		}
	}
	for _, raw := range []string{"\x01\x00\x00", "\x02\x00\x00\x00a", "\xff\xff\xff\xffa", "\x01\x00\x00\x00\xff"} {
		if got, err := textsOf([]byte(raw)); err == nil {
			t.Errorf("%q becomes %q", raw, got)
		}
	}
}

// TestPages: index, configuration and statistics have the keys that the protocol prescribes. The
// statistics count all that the model is asked for, with reasons or without, and all that is refused.
func TestPages(t *testing.T) {
	s, h := started(t, &fake{layout: pairs}, Options{Queue: 1})
	infer(t, h.URL, [2]uint8{3, 4}, [2]uint8{1, 2})
	send(t, h, drawing(t, 30, 30), drawing(t, 30, 30))
	post(t, h.URL+inferPath, []byte("{}"))
	send(t, h, drawing(t, 30, 30))
	sendBytes(t, h.URL+inferPath, nil, "Content-Encoding", "br")
	s.holding <- struct{}{}
	if status, _, _ := infer(t, h.URL, [2]uint8{3, 4}); status != http.StatusTooManyRequests {
		t.Errorf("with no room: %d", status)
	}
	<-s.holding
	_, index := sendBytes(t, h.URL+"/v2/repository/index", nil)
	if got := strings.TrimSpace(string(index)); got != `[{"name":"pairs","reason":"","state":"READY","version":"1"}]` {
		t.Errorf("index %s", got)
	}
	config, _ := get(t, h.URL+"/v2/models/pairs/config")
	for _, part := range []string{`"name":"pairs"`, `"max_batch_size":0`, `{"name":"images","data_type":"TYPE_FP32","dims":[-1,2,28,28]}`, `{"name":"unmet","data_type":"TYPE_STRING","dims":[-1]}`} {
		if !strings.Contains(config, part) {
			t.Errorf("configuration %s without %s", config, part)
		}
	}
	for _, path := range []string{"/v2/models/stats", "/v2/models/pairs/stats", "/v2/models/pairs/versions/1/stats"} {
		text, _ := get(t, h.URL+path)
		var page struct {
			Models []counts `json:"model_stats"`
		}
		require.NoError(t, json.Unmarshal([]byte(text), &page))
		m := page.Models[0]
		s := m.Stats
		if m.Name != "pairs" || m.Version != "1" || m.Examples != 3 || m.Batches != 2 || s.Success.Count != 2 || s.Fail.Count != 4 || s.Queue.Count != 2 || s.Model.Count != 2 || m.Last == 0 ||
			s.Success.NS < s.Input.NS+s.Model.NS+s.Output.NS {
			t.Errorf("%s: %s", path, text)
		}
	}
	if page, _ := get(t, h.URL+"/metrics"); !strings.Contains(page, `hinge_answer_gap_bucket{le="0.0001"}`) {
		t.Error("/metrics has no bucket named 0.0001")
	}
}

// TestTriton asks a server by NVIDIA's client with its defaults: make test-triton.
func TestTriton(t *testing.T) {
	python := os.Getenv("HINGE_PYTHON")
	if python == "" {
		t.Skip("HINGE_PYTHON names no Python with tritonclient: make test-triton")
	}
	if err := exec.Command(python, "-c", "import tritonclient.http").Run(); err != nil {
		t.Skipf("%s has no tritonclient: %v", python, err)
	}
	_, h := started(t, &fake{layout: pairs}, Options{})
	_, _, file := startedFile(t, Options{})
	cmd := exec.Command(python, "testdata/triton.py", strings.TrimPrefix(h.URL, "http://"), strings.TrimPrefix(file, "http://"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}
