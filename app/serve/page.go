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

var pageTemplate = template.Must(template.New("").Parse(pageText))

// page is the page at /: self-contained, and nothing but its own script runs in it.
func (s *Server) page() http.Handler {
	var out bytes.Buffer
	numbers := []string{"first", "second"}
	if s.layout.Images%2 == 1 {
		numbers = numbers[:1]
	}
	places := make([]int, s.layout.Images/len(numbers))
	for i := range places {
		places[i] = i + 1
	}
	err := pageTemplate.Execute(&out, struct {
		Model   string
		Numbers []string
		Places  []int
		Digits  bool
		Style   template.CSS
		Script  template.JS
	}{
		Model: s.name, Numbers: numbers, Places: places, Digits: s.layout.Height == mnist.Side && s.layout.Width == mnist.Side,
		Style: template.CSS(pageStyle), Script: template.JS(pageScript), //nolint:gosec // our own
	})
	policy := "default-src 'none'; connect-src 'self'; img-src 'self' data: blob:; style-src 'unsafe-inline'; script-src 'sha256-" + digest(pageScript) + "'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
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
