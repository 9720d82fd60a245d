package learning

import "testing"

// TestFamilies: a name that ends in N stands for every number, and nothing else.
func TestFamilies(t *testing.T) {
	for name, want := range map[string]bool{
		"add3": true, "add500": true, "add0": false, "add03": false, "add": false, "add-1": false, "add1x": false, "addN": false, "sub3": false,
	} {
		if got := standsFor("addN (N up to 500)", name); got != want {
			t.Errorf("addN stands for %q: %v, want %v", name, got, want)
		}
	}
	if !standsFor("add", "add") || standsFor("add", "add1") || !standsFor("CNN", "CNN") {
		t.Error("a name stands for itself, and without N for nothing else")
	}
}
