package infer

import (
	"strings"
	"testing"
	"time"
)

// While grounding, progress and memory errors name the rule, its rows, the estimate
// and the literal to add.
func TestGroundingNow(t *testing.T) {
	var names []string
	for i := range 300 {
		names = append(names, `["`+strings.Repeat("a", i+1)+`"]`)
	}
	all := strings.Join(names, ",")
	c, _ := testCommand(t, `{"rules": ["1: P(A) & P(B) & P(C) & P(D) -> Q(A)"], "predicates": {"P/1": {"observations": [`+all+`]}, "Q/1": {"targets": [`+all+`]}}}`)
	go func() {
		for !strings.Contains(c.Progress.Doing(), "ground rules so far") {
			time.Sleep(time.Millisecond)
		}
		c.Stop.Cancel()
	}()
	if _, err := c.upToSolve(); err == nil {
		t.Fatal("the grounding ended")
	}
	text := c.Progress.Doing()
	for _, want := range []string{"grounding 1 rule, rule 1 at ", "model.json:1:13, ", " ground rules so far of about 8.1e+09: 1: P(A) & P(B) & P(C) & P(D) -> Q(A) (add a literal that joins the two, such as Block("} {
		if !strings.Contains(text, want) {
			t.Errorf("now: %s, want %s", text, want)
		}
	}
	if w := c.Listed(); len(w) != 1 || !strings.Contains(w[0].Message, "very many groundings") || !strings.Contains(w[0].Message, "such as Block(") {
		t.Errorf("warnings %+v", w)
	}
}
