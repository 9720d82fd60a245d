package pipe

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// What infer and train say about the grounding is said here, too: a rule without a grounding, a
// hard one of outputs alone, a target in no ground rule.
func TestWarnings(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model.json")
	text := `{"rules": ["1: D(X) & P(X, 'none') -> S('a')", "D(X) <= 0.5 .", "1: D(X) -> S('a')"], "predicates": {
		"D/1": {"type": "DeepPredicate", "options": {"model-path": "net.py::Net"}, "targets": [["x"], ["y"]]},
		"P/2": {"observations": [["x", "one"], ["y", "two"]]}, "S/1": {"targets": [["a"], ["b"]]}}}`
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	request, err := json.Marshal(Request{Model: path})
	if err != nil {
		t.Fatal(err)
	}
	reply, err := (&session{programs: map[uint32]*program{}}).load(request)
	if err != nil {
		t.Fatal(err)
	}
	l := new(Loaded)
	if err := json.Unmarshal(reply, l); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		path + ":1:13: the rule has no grounding: P(X, 'none'): no atom of P has the constant 'none' as argument 2 (did you mean 'one'?)",
		path + ":1:49: the rule has no grounding: each of 2 matches has no target (inference cannot move outputs of networks, so that a hard rule of them alone says nothing: give it a weight or a target)",
		path + ": no ground rule holds 1 of the 2 targets of S, and the value there is 0, or in infer the one that -ties names; the first is S(b) (remove them, or add a prior such as 0.01: !S(...))",
	} {
		if !slices.Contains(l.Warnings, want) {
			t.Errorf("no warning %s in %q", want, l.Warnings)
		}
	}
}
