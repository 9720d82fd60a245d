package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// Under load a wrong answer, one to no question and a refusal without Retry-After
// are lost, a refusal with it is not.
func TestLoadSeesWhatIsWrong(t *testing.T) {
	var n atomic.Int64
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		id := string(body)
		switch n.Add(1) {
		case 3:
			fmt.Fprintf(w, `{"id":"%s","answer":99}`, id)
		case 5:
			fmt.Fprint(w, `{"answer":0}`) // to nobody's question
		case 7, 8:
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
		case 9:
			w.WriteHeader(http.StatusTooManyRequests)
		default:
			fmt.Fprintf(w, `{"id":"%s","answer":%s}`, id, id)
		}
	}))
	defer h.Close()
	s := &server{url: h.URL, model: "m"}
	questions := []question{{body: []byte("0"), answer: []byte(`{"id":"0","answer":0}`)}, {body: []byte("1"), answer: []byte(`{"id":"1","answer":1}`)}}
	l := s.load(questions, 40, time.Second)
	if l.requests != 40 || l.busy != 2 || l.lost() != 3 || l.right+l.busy+l.lost() != 40 || l.firstLost == "" || l.metrics.Requests != uint64(l.right) {
		t.Errorf("%v", l)
	}
	if r := (&report{loads: []load{l}}).String(); !strings.Contains(r, fmt.Sprintf("| 40 | 40 | %d | 2 | %d |", l.right, l.lost())) {
		t.Errorf("%s", r)
	}
}
