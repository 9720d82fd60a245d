package psl

import (
	"testing"
)

func TestBinaryIsStable(t *testing.T) {
	// Building a built expression anew gives the same expression, or printing
	// and parsing would change rules.
	b := Cardinality{Var: "B"}
	operands := []Expr{nil, Number(0), Number(1), Number(-1), Number(2.5), b, &Binary{Op: Add, X: b, Y: Number(1)}}
	for op := Add; op <= Max; op++ {
		for _, x := range operands {
			for _, y := range operands {
				e, err := binary(op, x, y)
				if err != nil {
					if op != Div || y != nil && y != Number(0) {
						t.Errorf("op %d of %v and %v: %v", op, x, y, err)
					}
					continue
				}
				if v, ok := e.(*Binary); ok {
					again, err := binary(v.Op, v.X, v.Y)
					w, ok := again.(*Binary)
					if err != nil || !ok || *w != *v {
						t.Errorf("op %d of %v and %v is %v, then %v", op, x, y, e, again)
					}
				}
			}
		}
	}
}

func TestNearest(t *testing.T) {
	for _, c := range []struct {
		word string
		from []string
		want string
	}{
		{"Knowz", []string{"Likes", "Knows"}, "Knows"},
		{"knows", []string{"Likes", "Knows"}, "Knows"},
		{"Friend", []string{"Enemies", "Friends"}, "Friends"},
		{"Lives", []string{"Likes", "Lived"}, "Likes"},
		{"Votes", []string{"Knows", "Trusts"}, ""},
		{"X", nil, ""},
	} {
		if got := Nearest(c.word, c.from); got != c.want {
			t.Errorf("nearest to %s of %v is %q, want %q", c.word, c.from, got, c.want)
		}
	}
}
