package serve

import (
	"bytes"
	"encoding/json"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/data/mnist"
)

// drawing is a PNG of a dark stroke on white paper, of a size.
func drawing(t testing.TB, w, h int) []byte {
	t.Helper()
	m := image.NewGray(image.Rect(0, 0, w, h))
	for i := range m.Pix {
		m.Pix[i] = 255
	}
	for y := h / 4; y < h*3/4; y++ {
		for x := w/2 - w/20; x <= w/2+w/20; x++ {
			m.SetGray(x, y, color.Gray{})
		}
	}
	var out bytes.Buffer
	require.NoError(t, png.Encode(&out, m))
	return out.Bytes()
}

// send posts pictures as a form.
func send(t testing.TB, h *httptest.Server, pictures ...[]byte) (int, map[string]any) {
	t.Helper()
	var parts []string
	for _, p := range pictures {
		parts = append(parts, "image", string(p))
	}
	return postForm(t, h.URL+"/v2/models/pairs/explain", parts...)
}

// Pictures of any size are laid out as those of MNIST, and the answer says why.
func TestExplain(t *testing.T) {
	_, h := started(t, &fake{layout: pairs, tied: true}, Options{})
	status, answer := send(t, h, drawing(t, 300, 400), drawing(t, 60, 50))
	if status != http.StatusOK || answer["tied"] != true || answer["model_name"] != "pairs" || answer["answer"] != 0.0 || answer["energy"] != 0.25 {
		t.Fatalf("%d %v", status, answer)
	}
	text, err := json.Marshal(answer["pictures"])
	require.NoError(t, err)
	var pictures []picture
	require.NoError(t, json.Unmarshal(text, &pictures))
	for i, size := range [][2]int{{300, 400}, {60, 50}} {
		want := make([]uint8, mnist.Pixels)
		layout, err := mnist.ReadPicture(want, bytes.NewReader(drawing(t, size[0], size[1])), 1<<20)
		require.NoError(t, err)
		p := pictures[i]
		if !p.DarkInk || p.DarkInk != layout.DarkInk || !bytes.Equal(p.Pixels, want) || len(p.Beliefs) != 10 || p.Digit != i {
			t.Errorf("picture %d: %+v", i+1, p)
		}
	}
	support := answer["supports"].([]any)[0].(map[string]any)
	if support["atom"] != "Sum(0)" || support["up"] != 0.5 || answer["certificate"].(map[string]any)["gap"] != 1e-9 {
		t.Errorf("%v", answer)
	}
}

func TestExplainRefuses(t *testing.T) {
	_, h := started(t, &fake{layout: pairs}, Options{Pixels: 100 * 100, Body: 100 << 10})
	good := drawing(t, 90, 90)
	for name, c := range map[string]struct {
		pictures [][]byte
		status   int
		want     string
	}{
		"none":      {nil, 400, "0 pictures; pairs takes 2"},
		"one":       {[][]byte{good}, 400, "1 picture; pairs takes 2"},
		"three":     {[][]byte{good, good, good}, 400, "more than 2 pictures"},
		"text":      {[][]byte{good, []byte("hello")}, 400, "picture 2: neither PNG, JPEG nor GIF"},
		"half":      {[][]byte{good[:len(good)/2], good}, 400, "picture 1: damaged"},
		"blank":     {[][]byte{drawing(t, 1, 1), good}, 400, "picture 1: no digit stands out"},
		"pixels":    {[][]byte{drawing(t, 101, 100), good}, 400, "picture 1: 101×100 pixels are too many"},
		"too large": {[][]byte{make([]byte, 200<<10), good}, 413, "too large"},
	} {
		status, answer := send(t, h, c.pictures...)
		if text, _ := answer["error"].(string); status != c.status || !strings.Contains(text, c.want) {
			t.Errorf("%s: %d %q, want %d %q", name, status, text, c.status, c.want)
		}
	}
	if status, _, answer := post(t, h.URL+"/v2/models/pairs/explain", []byte("{}")); status != 400 || !strings.Contains(answer["error"].(string), "multipart form of 2 pictures") {
		t.Errorf("no form: %d %v", status, answer)
	}
	if status, answer := send(t, h, good, good); status != http.StatusOK {
		t.Errorf("afterwards: %d %v", status, answer)
	}
}

// The page fetches nothing from elsewhere, and its policy lets its own script alone run.
func TestPage(t *testing.T) {
	_, h := started(t, &fake{layout: pairs}, Options{})
	text, header := get(t, h.URL+"/")
	if n := strings.Count(text, `<canvas class="box"`); n != 2 {
		t.Errorf("%d boxes, want 2", n)
	}
	for _, not := range []string{"http://", "https://", "src=", "@import", "url("} {
		if strings.Contains(text, not) {
			t.Errorf("the page holds %s", not)
		}
	}
	_, script, _ := strings.Cut(text, "<script>")
	script, _, _ = strings.Cut(script, "</script>")
	if policy := header.Get("Content-Security-Policy"); !strings.Contains(policy, "script-src 'sha256-"+digest(script)+"'") || !strings.Contains(policy, "default-src 'none'") {
		t.Errorf("policy %s", policy)
	}
	l := pairs
	l.Height = 5
	_, h = started(t, &fake{layout: l}, Options{})
	if text, _ = get(t, h.URL+"/"); !strings.Contains(text, "reads no digits") || strings.Contains(text, "<canvas") {
		t.Errorf("%s", text)
	}
}
