package linqs

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// drugs is a fold of three drugs and the pairs of two of them.
func drugs() map[string]string {
	files := map[string]string{}
	for _, part := range []string{"learn", "eval"} {
		dir := "general-interactions-03/" + part + "/"
		files[dir+"valid_interactions_obs.txt"] = "a\tb\t1.0\nb\ta\t1.0\na\tc\t1\nc\ta\t1\n"
		files[dir+"interacts_obs.txt"] = "a\tb\t1.0\nb\ta\t1.0\n"
		files[dir+"interacts_truth.txt"] = "a\tc\t0.0\nc\ta\t0.0\n"
		files[dir+"interacts_target.txt"] = "c\ta\t\na\tc  \n"
		for i, s := range Similarities {
			files[dir+"similarity_"+s+".txt.gz"] = "a\tc\t0.5\na\ta\t1\n" + strings.Repeat("c\tb\t0.25\n", i%2)
		}
	}
	return files
}

func TestReadInteractions(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, drugs())
	learn, test, err := ReadInteractions(dir, 3)
	require.NoError(t, err)
	for _, p := range []InteractionPart{learn, test} {
		if len(p.Valid) != 4 || !slices.Equal(p.Given, []DrugPair{{"a", "b", 1}, {"b", "a", 1}}) ||
			!slices.Equal(p.Hidden, []DrugPair{{"a", "c", 0}, {"c", "a", 0}}) {
			t.Errorf("valid %v, given %v, hidden %v", p.Valid, p.Given, p.Hidden)
		}
		for i, s := range p.Similar {
			if len(s) != 2+i%2 || s[0] != (DrugPair{"a", "c", 0.5}) {
				t.Errorf("similarity %s: %v", Similarities[i], s)
			}
		}
	}
}

// Every contradiction between the files is refused with its place.
func TestReadInteractionsErrors(t *testing.T) {
	for file, cases := range map[string][][2]string{
		"valid_interactions_obs.txt": {{"a\tb\t0.5\n", "obs.txt:1:1: a valid pair has the value 0.5"}, {"", "obs.txt: the file is empty"},
			{"a\tb\t1\na\tb\t1\n", "obs.txt:2:1: the pair a, b is there twice"}, {"a\tb\t7\n", `obs.txt:1:1: the value "7" is not`},
			{"a\tb\tNaN\n", `obs.txt:1:1: the value "NaN" is not`}, {"\tb\t1\n", "obs.txt:1:1: nothing is here"}},
		"interacts_obs.txt": {{"a\tz\t1\n", "obs.txt:1:1: the pair a, z is not in valid"}, {"a\tb\t0.5\n", "an interaction has the value 0.5"},
			{"a\tb\n", "obs.txt:1:1: the line has 2 fields"}},
		"interacts_truth.txt":   {{"a\tb\t1\n", "truth.txt:1:1: the pair a, b is in interacts_obs.txt, too"}},
		"interacts_target.txt":  {{"a\tb\n", "target.txt:1:1: the pair a, b is not in"}, {"a\tc\na\tc\n", "target.txt:2:1: "}, {"a\tc\n", "target.txt: 1 pairs"}},
		"similarity_seq.txt.gz": {{"a\tb\t1.5\n", `seq.txt.gz:1:1: the value "1.5"`}},
	} {
		for _, c := range cases {
			dir, files := t.TempDir(), drugs()
			files["general-interactions-03/eval/"+file] = c[0]
			put(t, dir, files)
			_, _, err := ReadInteractions(dir, 3)
			wantError(t, err, c[1], "eval")
		}
	}
	for _, fold := range []int{-1, 10} {
		_, _, err := ReadInteractions(t.TempDir(), fold)
		wantError(t, err, "fold")
	}
	_, _, err := ReadInteractions(t.TempDir(), 0)
	wantError(t, err, "there is no", "valid_interactions_obs.txt", "drug-drug-interaction.zip")
}

// The published fold 00 has the published counts.
func TestInteractions(t *testing.T) {
	learn, test, err := ReadInteractions(filepath.Join(dataRoot(t), "ddi"), 0)
	require.NoError(t, err)
	rows := [...]int{4334, 4725, 4655, 4655, 4284, 4655, 4725}
	for _, c := range []struct {
		p                    *InteractionPart
		valid, given, hidden int
	}{{&learn, 89018, 79126, 9892}, {&test, 98910, 89018, 9892}} {
		if len(c.p.Valid) != c.valid || len(c.p.Given) != c.given || len(c.p.Hidden) != c.hidden {
			t.Errorf("%d valid, %d given, %d hidden", len(c.p.Valid), len(c.p.Given), len(c.p.Hidden))
		}
		for i, n := range rows {
			if len(c.p.Similar[i]) != n {
				t.Errorf("%d similarities %s, want %d", len(c.p.Similar[i]), Similarities[i], n)
			}
		}
		// Interactions are symmetric, and both directions are in the same list.
		values := map[[2]string]float64{}
		for _, d := range c.p.Hidden {
			values[[2]string{d.A, d.B}] = d.Value
		}
		for k, v := range values {
			if back, ok := values[[2]string{k[1], k[0]}]; !ok || back != v {
				t.Fatalf("%v has %v, its reverse %v", k, v, back)
			}
		}
	}
	interacting := 0
	for _, list := range [][]DrugPair{test.Given, test.Hidden} {
		for _, d := range list {
			if d.Value == 1 {
				interacting++
			}
		}
	}
	assert.Equal(t, 3978, interacting)
}
