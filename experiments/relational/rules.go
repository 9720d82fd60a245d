package relational

import (
	"embed"
	"fmt"
	"strings"

	"hinge/symbolic/psl"
)

//go:embed rules/*.psl
var ruleFiles embed.FS

// Rules returns the rules of a data set. Those of cora8 are Cora's: nothing is said
// of its eighth topic.
func Rules(name string) (*psl.Program, error) {
	if name == "cora8" {
		name = base(name)
	}
	file := "rules/" + name + ".psl"
	src, err := ruleFiles.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("relational: there is no data set %q; there are %s", name, strings.Join(Names(), ", "))
	}
	return psl.Parse(file, src)
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
