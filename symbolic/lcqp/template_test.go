package lcqp

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/symbolic/hlmrf"
)

type keyA struct{}
type keyB struct{ n int }

// One value a key and a template, for all goroutines.
func TestDerived(t *testing.T) {
	template := func() *Template {
		tpl, err := Compile(&hlmrf.Program{Targets: []string{"y"}})
		require.NoError(t, err)
		return tpl
	}
	a, b := template(), template()
	values := make([]any, 20)
	var wg sync.WaitGroup
	for n := range values {
		wg.Go(func() { values[n] = a.Derived(keyA{}, func() any { return new(int) }) })
	}
	wg.Wait()
	for _, v := range values {
		if v != values[0] {
			t.Fatal("goroutines got different values")
		}
	}
	if a.Derived(keyA{}, func() any { t.Error("made again"); return nil }) != values[0] {
		t.Error("not kept")
	}
	for _, other := range []any{
		b.Derived(keyA{}, func() any { return new(int) }), a.Derived(keyB{1}, func() any { return new(int) }),
		a.Derived(keyB{2}, func() any { return new(int) }),
	} {
		if other == values[0] {
			t.Error("another template or key has the same value")
		}
	}
}
