package servetest

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var valid = []byte(`{"inputs":[{"name":"images","shape":[1,2,28,28],"datatype":"FP32","data":[0,1]}]}`)

// recorded sends n requests from a seed to a server that answers 418, and lists what it
// has seen and the statuses that were told.
func recorded(t *testing.T, seed uint64, n int) (seen []string, statuses map[int]int) {
	t.Helper()
	var held sync.Mutex
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // of a request that broke off
		held.Lock()
		defer held.Unlock()
		seen = append(seen, fmt.Sprintf("%s %s %q %x", r.Method, r.URL.Path, r.Header.Get("Content-Type"), body))
		w.WriteHeader(http.StatusTeapot)
	}))
	defer s.Close()
	statuses = map[int]int{}
	require.NoError(t, NewMalformed(seed, "sums", valid).Send(s.Client(), s.URL, n, func(status int) { statuses[status]++ }))
	s.Close() // waits for requests that broke off
	return seen, statuses
}

// Requests are of all kinds, hardly one of them valid, and each status is told once.
func TestSend(t *testing.T) {
	const n = 2000
	seen, statuses := recorded(t, 1, n)
	total := 0
	for _, k := range statuses {
		total += k
	}
	if total != n || statuses[0] < n/100 || statuses[http.StatusTeapot] < n*9/10 {
		t.Errorf("statuses %v of %d requests", statuses, n)
	}
	kinds := map[string]int{}
	good := 0
	for _, r := range seen {
		method, rest, _ := strings.Cut(r, " ")
		kinds[method]++
		for _, part := range []string{"/infer ", "/explain ", "multipart/form-data", "application/json"} {
			if strings.Contains(rest, part) {
				kinds[part]++
			}
		}
		if strings.HasSuffix(r, fmt.Sprintf(`/infer "application/json" %x`, valid)) {
			good++
		}
	}
	for _, kind := range []string{"POST", "GET", "PUT", "DELETE", "PATCH", "ODD", "/infer ", "/explain ", "multipart/form-data", "application/json"} {
		if kinds[kind] == 0 {
			t.Errorf("no request is of the kind %q: %v", kind, kinds)
		}
	}
	if good > n/20 {
		t.Errorf("%d of %d requests are valid", good, n)
	}
}

// A seed tells the requests, which spoil copies of the valid one alone; what broke off may arrive
// in another order.
func TestSeeds(t *testing.T) {
	a, _ := recorded(t, 7, 300)
	b, _ := recorded(t, 7, 300)
	c, _ := recorded(t, 8, 300)
	for _, list := range [][]string{a, b, c} {
		slices.Sort(list)
	}
	assert.Equal(t, b, a, "the same seed makes other requests")
	if slices.Equal(a, c) {
		t.Error("another seed makes the same requests")
	}
}

// A server that is gone is an error.
func TestGone(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	url := s.URL
	s.Close()
	if err := NewMalformed(1, "sums", valid).Send(http.DefaultClient, url, 1, func(int) {}); err == nil {
		t.Error("a server that is gone answers")
	}
}
