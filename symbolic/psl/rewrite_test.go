package psl

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// Only the weights change, and what is read then is the rules with those.
func TestRewrite(t *testing.T) {
	const src = "# Who likes whom.\n\n1.50 : A(X)\n   -> B(X) ^2   // by habit\nA(X) + B(X) <= 1 . 2:!A(X)\n-3e0: B(X)\n/* the end\n*/ 4: A(X) = 0.5"
	const want = "# Who likes whom.\n\n0.1 : A(X)\n   -> B(X) ^2   // by habit\nA(X) + B(X) <= 1 . 1e-09:!A(X)\n-0.25: B(X)\n/* the end\n*/ 2: A(X) = 0.5"
	p, err := Parse("rules.psl", []byte("\uFEFF"+src))
	require.NoError(t, err)
	if text, ok := p.Rewrite(); !ok || text != "# Who likes whom.\n\n1.5 : A(X)\n   -> B(X) ^2   // by habit\nA(X) + B(X) <= 1 . 2:!A(X)\n-3: B(X)\n/* the end\n*/ 4: A(X) = 0.5" {
		t.Errorf("unchanged weights give\n%s", text)
	}
	for i, w := range map[int]float64{0: 0.1, 2: 1e-9, 3: 0.25, 4: 2} {
		p.Rules[i].Weight = w
	}
	text, ok := p.Rewrite()
	if !ok || text != want {
		t.Fatalf("rewritten to\n%s", text)
	}
	again, err := Parse("rules.psl", []byte(text))
	if err != nil || again.String() != p.String() {
		t.Errorf("read again as\n%swant\n%s%v", again, p, err)
	}
	// A rule that was left out stays.
	q, err := Parse("q.psl", []byte("1: A(X) -> B(X)\n2: A(X) -> B(X)\n3: !A(X)"))
	require.NoError(t, err)
	q.Distinct()
	q.Rules[1].Weight = 5
	if text, ok := q.Rewrite(); !ok || text != "1: A(X) -> B(X)\n2: A(X) -> B(X)\n5: !A(X)" {
		t.Errorf("rewritten to\n%s", text)
	}
	// There is no one source for two files, for none, or for a rule that was hard.
	two := &Program{Rules: slices.Concat(p.Rules, q.Rules)}
	p.Rules[1].Hard = false
	for _, x := range []*Program{two, p, {}} {
		if text, ok := x.Rewrite(); ok {
			t.Errorf("rewritten to\n%s", text)
		}
	}
}
