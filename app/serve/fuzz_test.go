package serve

import (
	"bytes"
	"testing"
)

// FuzzRead reads requests of any kind: each is an error, or examples of the right size
// and at least one output.
func FuzzRead(f *testing.F) {
	f.Add(body(f, request([2]uint8{3, 4})))
	f.Add([]byte(`{"id":"a","inputs":[{"name":"images","datatype":"FP32","shape":[1,2,28,28],"data":[[[[0,1]]]]}],"outputs":[{"name":"gap"}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		a, err := read(bytes.NewReader(text), pairs, 4)
		if err != nil {
			return
		}
		if len(a.examples) == 0 || len(a.examples) > 4 || len(a.outputs) == 0 {
			t.Fatalf("%d examples, %d outputs", len(a.examples), len(a.outputs))
		}
		for _, e := range a.examples {
			if len(e) != 2*28*28 {
				t.Fatalf("an example of %d bytes", len(e))
			}
		}
	})
}
