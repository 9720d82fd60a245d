package main

import "testing"

// TestCounted: a count is taken only of a run in which the benchmark made its steps.
func TestCounted(t *testing.T) {
	const bench = "BenchmarkTrainStep/batch=64 \t 2\t 1230000 ns/op\t 3.2 ms/image\nPASS\n"
	for _, c := range []struct {
		out  string
		want int
		ok   bool
	}{
		{bench + "instructions: 123456789012\n", 123456789012, true},
		{"PASS\ninstructions: 123\n", 0, false},                       // no benchmark has this name
		{bench, 0, false},                                             // the plugin was not loaded
		{bench + "instructions: 99999999999999999999999\n", 0, false}, // more than an int holds,
	} {
		if n, ok := counted([]byte(c.out)); n != c.want || ok != c.ok {
			t.Errorf("%q has %d instructions (%v), want %d (%v)", c.out, n, ok, c.want, c.ok)
		}
	}
}
