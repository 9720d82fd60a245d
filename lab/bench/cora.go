package bench

import (
	"errors"

	"hinge/data/citation"
	"hinge/symbolic/familytest"
)

// cora returns the model of the family citation on the citations of Cora, as distributed by the
// LINQS group: cora.content (paper, words, topic) and cora.cites (cited, citing), plain or with
// .gz, in dir.
func cora(dir string, seed uint64) (*familytest.Model, error) {
	if dir == "" {
		return nil, errors.New("no folder is named that has cora.content and cora.cites")
	}
	c, err := citation.Load("cora", citation.LINQS, dir)
	if err != nil {
		return nil, err
	}
	var cites [][2]int32
	for _, l := range c.Cites {
		cites = append(cites, [2]int32{l.Citing, l.Cited})
	}
	return familytest.Citation(c.IDs, c.Labels, cites, seed)
}
