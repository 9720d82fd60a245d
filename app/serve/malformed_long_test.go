//go:build long

package serve

import (
	"net/http"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/app/serve/servetest"
)

// TestMalformedLong sends 100,000 malformed requests. The server answers each, goes on,
// and holds no more memory and no more goroutines than before.
func TestMalformedLong(t *testing.T) {
	url, _, _, s := running(t, &fake{layout: pairs}, Options{})
	valid := body(t, request([2]uint8{3, 4}))
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	requests := servetest.NewMalformed(1, "pairs", valid)
	counts := map[int]int{}
	send := func(n int) {
		require.NoError(t, requests.Send(client, url, n, func(status int) { counts[status]++ }))
	}
	held := func() (heap uint64, goroutines int) {
		client.CloseIdleConnections()
		var m runtime.MemStats
		for range 3 {
			runtime.GC()
		}
		runtime.ReadMemStats(&m)
		return m.HeapAlloc, runtime.NumGoroutine()
	}
	send(2000)
	heap, goroutines := held()
	send(98_000)
	heapAfter, goroutinesAfter := held()
	t.Logf("statuses %v; heap %d and then %d bytes, goroutines %d and %d", counts, heap, heapAfter, goroutines, goroutinesAfter)
	if heapAfter > heap+1<<20 || goroutinesAfter > goroutines+5 {
		t.Error("the server holds more than before")
	}
	if counts[400] < 50_000 || counts[500] > 0 || len(s.holding) > 0 {
		t.Errorf("statuses %v, %d requests held", counts, len(s.holding))
	}
	if status, _, answer := post(t, url+inferPath, valid); status != http.StatusOK {
		t.Errorf("afterwards: %d %v", status, answer)
	}
}
