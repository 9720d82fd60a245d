package relational

import (
	"cmp"
	"embed"
	"fmt"
	"strings"

	"hinge/symbolic/psl"
)

//go:embed rules/*.psl
var ruleFiles embed.FS

// rulesOf names the set whose rules a set shares.
var rulesOf = map[string]string{"cora8": "cora", "stance-4forums": "stance", "stance-createdebate": "stance"}

// Rules returns the rules of a data set. Those of cora8 are Cora's: nothing is said
// of its eighth topic.
func Rules(name string) (*psl.Program, error) {
	file := "rules/" + cmp.Or(rulesOf[name], name) + ".psl"
	src, err := ruleFiles.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("relational: there is no data set %q; there are %s", name, strings.Join(Names(), ", "))
	}
	return psl.Parse(file, src)
}
