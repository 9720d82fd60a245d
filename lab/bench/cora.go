package bench

import (
	"fmt"

	"hinge/data/citation"
	"hinge/symbolic/familytest"
)

// cora returns the model of the family citation on the citations of Cora, as distributed by the
// LINQS group: cora.content (paper, words, topic) and cora.cites (cited, citing), plain or with
// .gz, in dir. Errors name file and line.
func cora(dir string, seed uint64) (*familytest.Model, error) {
	c, err := citation.OpenLINQS("cora", dir)
	if err != nil {
		return nil, err
	}
	if len(c.Classes) != 7 {
		return nil, fmt.Errorf("cora.content has %d topics, want 7", len(c.Classes))
	}
	if c.Skipped != (citation.Skipped{}) {
		return nil, fmt.Errorf("cora.cites names %d papers that cite themselves and %d that are not in cora.content",
			c.Skipped.Self, c.Skipped.Unknown)
	}
	var cites [][2]int32
	for _, l := range c.Cites {
		cites = append(cites, [2]int32{l.Citing, l.Cited})
	}
	return familytest.Citation(c.IDs, c.Labels, cites, seed)
}
