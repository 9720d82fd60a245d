package relational

import (
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the generated rule files")

// topics are those of the citation graphs, as their files spell them.
var topics = map[string][]string{
	"cora": {"Case_Based", "Genetic_Algorithms", "Neural_Networks", "Probabilistic_Methods",
		"Reinforcement_Learning", "Rule_Learning", "Theory"},
	"citeseer":  {"AI", "Agents", "DB", "HCI", "IR", "ML"},
	"citeseer7": {"AI", "Agents", "DB", "HCI", "IR", "ML", "None"},
}

// The rule files are what the generators write; -update rewrites them.
func TestRuleFiles(t *testing.T) {
	for name, want := range map[string]string{
		"cora": citationRules(topics["cora"]), "citeseer": citationRules(topics["citeseer"]),
		"citeseer7": citationRules(topics["citeseer7"]), "epinions": trustRules(),
		"stance": debateRules(), "yelp": ratingRules(),
	} {
		path := "rules/" + name + ".psl"
		if *update {
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != want {
			t.Errorf("%s is not what the generator writes; run go test -run TestRuleFiles -update", path)
		}
	}
}

// The models have the published numbers of rules, all of them squared hinges but
// for one hard rule.
func TestRules(t *testing.T) {
	for name, want := range map[string][2]int{"cora": {203, 1}, "cora8": {203, 1}, "citeseer": {150, 1},
		"citeseer7": {203, 1}, "epinions": {21, 0}, "ddi": {8, 1},
		"stance-4forums": {11, 0}, "stance-createdebate": {11, 0}, "yelp": {21, 0}} {
		p, err := Rules(name)
		if err != nil {
			t.Fatal(err)
		}
		var got [2]int
		seen := map[string]bool{}
		for _, r := range p.Rules {
			if seen[r.String()] {
				t.Errorf("%s: %s is there twice", name, r)
			}
			seen[r.String()] = true
			if r.Hard {
				got[1]++
			} else if got[0]++; r.Squared == (name == "yelp") {
				t.Errorf("%s: %s: squared %v", name, r, r.Squared)
			}
		}
		if got != want {
			t.Errorf("%s: %d soft and %d hard rules, want %v", name, got[0], got[1], want)
		}
	}
	if _, err := Rules("jester"); err == nil || !strings.Contains(err.Error(), "stance-createdebate, stance-4forums, epinions, citeseer, citeseer7, cora, cora8, ddi, yelp") {
		t.Errorf("rules of an unknown set: %v", err)
	}
}
