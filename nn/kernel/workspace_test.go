package kernel

import (
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestFreeListReuses(t *testing.T) {
	made := 0
	l := freeList[int]{make: func() *int { made++; return new(int) }}
	a, b := l.get(), l.get()
	if a == b {
		t.Fatal("one object given out twice")
	}
	l.put(a)
	l.put(b)
	runtime.GC()
	runtime.GC()
	l.get()
	l.get()
	assert.Equal(t, 2, made)
}

func TestFreeListIsSafe(t *testing.T) {
	l := freeList[int]{make: func() *int { return new(int) }}
	var wg sync.WaitGroup
	for range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range 1000 {
				x := l.get()
				*x++ // the race detector sees a second owner
				l.put(x)
			}
		}()
	}
	wg.Wait()
	total := 0
	for _, x := range l.free {
		total += *x
	}
	assert.Equal(t, 4000, total)
}

func TestWorkspacesKeepTheirCapacity(t *testing.T) {
	w := getWorkspace[float64](1000)
	at := &w.buf[0]
	putWorkspace(w)
	if again := getWorkspace[float64](10); len(again.buf) != 10 || &again.buf[0] != at {
		t.Error("the workspace was not reused")
	}
}
