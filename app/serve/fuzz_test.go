package serve

import (
	"strconv"
	"testing"
)

// FuzzRead reads requests of any kind, JSON with bytes behind it: each is an error, or examples
// of the right size and at least one output.
func FuzzRead(f *testing.F) {
	s := newServer("pairs", Options{Examples: 4}.filled())
	s.layout = pairs
	whole := body(f, request([2]uint8{3, 4}))
	f.Add(whole, "")
	f.Add(append(binaryRequest, make([]byte, 4*2*28*28)...), strconv.Itoa(len(binaryRequest)))
	f.Add([]byte(`{"id":"a","inputs":[{"name":"images","datatype":"FP32","shape":[1,2,28,28],"data":[[[[0,1]]]]}],"outputs":[{"name":"gap"}]}`), "")
	f.Fuzz(func(t *testing.T, text []byte, length string) {
		q, err := decode(text, length)
		if err != nil {
			return
		}
		_, kinds := s.tensors()
		want, err := q.choose(kinds)
		if err == nil && len(want) == 0 {
			t.Fatal("no outputs")
		}
		examples, err := s.examples(q)
		if err != nil {
			return
		}
		if len(examples) == 0 || len(examples) > 4 {
			t.Fatalf("%d examples", len(examples))
		}
		for _, e := range examples {
			if len(e) != 2*28*28 {
				t.Fatalf("an example of %d bytes", len(e))
			}
		}
	})
}
