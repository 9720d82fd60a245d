package rules

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"hinge/symbolic/rulemining"
)

// Where no fact that is held out is between entities that another fact connects, weights are
// learned from facts of this sort; where all are, from the other.
func TestAlike(t *testing.T) {
	l := &links{names: rulemining.Names{Entities: make([]string, 400), Relations: make([]string, 2)}}
	connected := func(f rulemining.Triple) bool { return f.Head < 200 }
	for i := range int32(100) {
		// Relation 1 connects the first hundred pairs, too.
		l.train = append(l.train, rulemining.Triple{Head: 2 * i, Relation: 0, Tail: 2*i + 1}, rulemining.Triple{Head: 2*i + 1, Relation: 1, Tail: 2 * i},
			rulemining.Triple{Head: 200 + 2*i, Relation: 0, Tail: 201 + 2*i})
	}
	for _, c := range []struct {
		head, tail int32
		want       bool
	}{{0, 201, false}, {0, 1, true}} {
		l.valid = nil
		for range 200 {
			l.valid = append(l.valid, rulemining.Triple{Head: c.head, Relation: 0, Tail: c.tail})
		}
		facts := l.alike(l.graph(l.train))[0]
		assert.Len(t, facts, 100)
		for _, f := range facts {
			assert.Equal(t, c.want, connected(f))
		}
	}
	// As many of both sorts as in the facts that are held out.
	for i := range l.valid {
		if i%4 == 0 {
			l.valid[i].Tail = 201
		}
	}
	n := 0
	facts := l.alike(l.graph(l.train))[0]
	for _, f := range facts {
		if connected(f) {
			n++
		}
	}
	assert.InDelta(t, 0.75, float64(n)/float64(len(facts)), 0.01)
}
