package serve

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"net/http"

	"hinge/data/mnist"
)

//go:embed page.html
var pageText string

//go:embed page.css
var pageStyle string

//go:embed page.js
var pageScript string

// page is the page of a model that reads digits.
func (s *Server) page() http.Handler {
	numbers := []string{"first", "second"}
	if s.layout.Images%2 == 1 {
		numbers = numbers[:1]
	}
	places := make([]int, s.layout.Images/len(numbers))
	for i := range places {
		places[i] = i + 1
	}
	return newPage(pageText, pageScript, struct {
		look
		Model   string
		Numbers []string
		Places  []int
		Digits  bool
	}{
		look: newLook(pageScript), Model: s.name, Numbers: numbers, Places: places,
		Digits: s.layout.Height == mnist.Side && s.layout.Width == mnist.Side,
	})
}

// look is the common part of all pages.
type look struct {
	Style  template.CSS
	Script template.JS
}

func newLook(script string) look {
	return look{template.CSS(pageStyle), template.JS(script)} //nolint:gosec // our own
}

// newPage returns a page at /: self-contained, and only its own script runs in it.
func newPage(text, script string, data any) http.Handler {
	var out bytes.Buffer
	t, err := template.New("").Parse(text)
	if err == nil {
		err = t.Execute(&out, data)
	}
	policy := "default-src 'none'; connect-src 'self'; img-src 'self' data: blob:; style-src 'unsafe-inline'; script-src 'sha256-" + digest(script) + "'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", policy)
		w.Header().Set("X-Content-Type-Options", "nosniff")
		_, _ = w.Write(out.Bytes()) // the client is gone if that fails
	})
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return base64.StdEncoding.EncodeToString(sum[:])
}
