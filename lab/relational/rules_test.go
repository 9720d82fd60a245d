package relational

import (
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"flag"
	"fmt"
	"hinge/lab/linqs"
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
			require.NoError(t, os.WriteFile(path, []byte(want), 0o644))
			continue
		}
		got, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equalf(t, want, string(got), "%s is not what the generator writes; run go test -run TestRuleFiles -update", path)
	}
}

// The models have the published numbers of rules, all of them squared hinges but
// for one hard rule.
func TestRules(t *testing.T) {
	for name, want := range map[string][2]int{"cora": {203, 1}, "cora8": {203, 1}, "citeseer": {150, 1},
		"citeseer7": {203, 1}, "epinions": {21, 0}, "ddi": {8, 1},
		"stance-4forums": {11, 0}, "stance-createdebate": {11, 0}, "yelp": {21, 0}} {
		p, err := Rules(name)
		require.NoError(t, err)
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
		assert.Equal(t, want, got, name)
	}
	if _, err := Rules("jester"); err == nil || !strings.Contains(err.Error(), "stance-createdebate, stance-4forums, epinions, citeseer, citeseer7, cora, cora8, ddi, yelp") {
		t.Errorf("rules of an unknown set: %v", err)
	}
}

// citationRules writes the extended model of a citation graph (paper, section
// "Extended evaluation: data sets"): a copy of each rule for each topic, and for
// each ordered pair of topics whether a citation makes the second likelier or
// less likely. Link(A, B) says that paper A is cited by paper B.
func citationRules(topics []string) string {
	var b strings.Builder
	b.WriteString("# Generated from the list of topics; see citationRules.\n")
	section := func(text string) { fmt.Fprintf(&b, "\n# %s\n", text) }
	section("Papers that are cited together are about the same.")
	for _, c := range topics {
		fmt.Fprintf(&b, "1: HasCat(A, '%s') & Link(A, C) & Link(B, C) -> HasCat(B, '%[1]s') ^2\n", c)
	}
	links := []string{"Link(A, B)", "Link(B, A)"}
	for _, not := range []string{"", "!"} {
		if not == "" {
			section("A citation carries a topic, whichever way it points,")
		} else {
			section("or forbids it.")
		}
		for _, link := range links {
			for _, c := range topics {
				fmt.Fprintf(&b, "1: HasCat(A, '%s') & %s -> %sHasCat(B, '%[1]s') ^2\n", c, link, not)
			}
		}
	}
	for _, not := range []string{"", "!"} {
		if not == "" {
			section("A citation speaks for another topic,")
		} else {
			section("or against it.")
		}
		for _, link := range links {
			for _, c := range topics {
				for _, d := range topics {
					if c != d {
						fmt.Fprintf(&b, "1: HasCat(A, '%s') & %s -> %sHasCat(B, '%s') ^2\n", c, link, not, d)
					}
				}
			}
		}
	}
	section("A paper has one topic.")
	b.WriteString("HasCat(A, +C) = 1 .\n")
	return b.String()
}

// trustRules writes the model of a trust network: balance in triangles (Huang et
// al., A flexible framework for probabilistic models of social trust, 2013).
func trustRules() string {
	var b strings.Builder
	b.WriteString("# Generated; see trustRules.\n\n")
	b.WriteString("# Balance: the friend of a friend is a friend, the foe of a foe, too.\n")
	for _, first := range []string{"(A, B)", "(B, A)"} {
		for _, second := range []string{"(B, C)", "(C, B)"} {
			for _, sign := range [][3]string{{"", "", ""}, {"", "!", "!"}, {"!", "", "!"}, {"!", "!", ""}} {
				fmt.Fprintf(&b, "1: Knows%s & Knows%s & Knows(A, C) & %sTrusts%s & %sTrusts%s & A != B & B != C & A != C -> %sTrusts(A, C) ^2\n",
					first, second, sign[0], first, sign[1], second, sign[2])
			}
		}
	}
	b.WriteString("\n# Trust is mutual.\n")
	for _, not := range []string{"", "!"} {
		fmt.Fprintf(&b, "1: Knows(A, B) & Knows(B, A) & %sTrusts(A, B) -> %[1]sTrusts(B, A) ^2\n", not)
	}
	b.WriteString("\n# Without evidence, as often as elsewhere.\n")
	b.WriteString("1: Knows(A, B) & Prior('0') -> Trusts(A, B) ^2\n")
	b.WriteString("1: Knows(A, B) & Trusts(A, B) -> Prior('0') ^2\n")
	b.WriteString("0.5: !Trusts(A, B) ^2\n")
	return b.String()
}

// debateRules writes the model of a debate (Sridhar et al., Joint models of disagreement
// and stance in online debate, 2015): eleven rules.
func debateRules() string {
	var b strings.Builder
	b.WriteString("# Generated; see debateRules.\n\n# What classifiers of the texts say.\n")
	for _, not := range []string{"", "!"} {
		fmt.Fprintf(&b, "1: %sLocalPro(A, T) -> %[1]sIsProAuth(A, T) ^2\n", not)
	}
	for _, not := range []string{"", "!"} {
		fmt.Fprintf(&b, "1: %sLocalDisagrees(A, B) -> %[1]sDisagrees(A, B) ^2\n", not)
	}
	b.WriteString("\n# Who disagrees with somebody is on the other side, who agrees on the same one.\n")
	const first, second = "IsProAuth(A, T)", "IsProAuth(B, T)"
	for _, r := range []struct{ disagrees, from, to string }{
		{"", first, "!" + second}, {"", "!" + first, second},
		{"!", first, second}, {"!", "!" + first, "!" + second},
		{"", second, "!" + first}, {"!", second, first}, {"!", "!" + second, "!" + first},
	} {
		// A negated stance does not bind its author: who takes part must be said.
		var both string
		if from := strings.TrimPrefix(r.from, "!"); from != r.from {
			both = "Participates(A, T) & Participates(B, T)"
		} else if from == first {
			both = "Participates(B, T)"
		} else {
			both = "Participates(A, T)"
		}
		fmt.Fprintf(&b, "1: %sDisagrees(A, B) & Responds(A, B) & %s & %s & A != B -> %s ^2\n", r.disagrees, both, r.from, r.to)
	}
	return b.String()
}

// ratingRules writes the model of ratings (Kouki et al., HyPER: a flexible and extensible
// probabilistic framework for hybrid recommender systems, 2015), with linear hinges.
func ratingRules() string {
	var b strings.Builder
	b.WriteString("# Generated; see ratingRules.\n\n# Similar items are rated alike,\n")
	for _, s := range linqs.ItemSimilarities {
		fmt.Fprintf(&b, "1: Rated(U, I) & Rated(U, J) & Rating(U, I) & %s(I, J) -> Rating(U, J)\n", s)
	}
	b.WriteString("\n# and similar users rate alike.\n")
	for _, s := range linqs.UserSimilarities {
		fmt.Fprintf(&b, "1: Rated(U, I) & Rated(V, I) & Rating(U, I) & %s(U, V) -> Rating(V, I)\n", s)
	}
	b.WriteString("\n# What other methods and the averages say.\n")
	for _, p := range linqs.Predictors {
		fmt.Fprintf(&b, "1: %s(U, I) -> Rating(U, I)\n1: Rating(U, I) -> %[1]s(U, I)\n", p)
	}
	b.WriteString("1: AvgUserRating(U) & Rated(U, I) -> Rating(U, I)\n1: Rated(U, I) & Rating(U, I) -> AvgUserRating(U)\n")
	b.WriteString("1: AvgItemRating(I) & Rated(U, I) -> Rating(U, I)\n1: Rated(U, I) & Rating(U, I) -> AvgItemRating(I)\n")
	return b.String()
}
