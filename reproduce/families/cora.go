package families

import (
	"fmt"
	"math/rand/v2"

	"hinge/data/citation"
)

// Cora returns the model of the family citation on the citations of Cora, as
// distributed by the LINQS group: cora.content (paper, words, topic) and
// cora.cites (cited, citing), plain or with .gz, in dir. Which half of the
// papers is observed follows from the seed. Errors name file and line.
func Cora(dir string, seed uint64) (*Model, error) {
	c, err := citation.OpenLINQS("cora", dir)
	if err != nil {
		return nil, fmt.Errorf("families: %w", err)
	}
	if len(c.Classes) != topics {
		return nil, fmt.Errorf("families: cora.content has %d topics, want %d", len(c.Classes), topics)
	}
	if c.Skipped != (citation.Skipped{}) {
		return nil, fmt.Errorf("families: cora.cites names %d papers that cite themselves and %d that are not in cora.content",
			c.Skipped.Self, c.Skipped.Unknown)
	}
	g := graph{topic: c.Labels}
	for _, l := range c.Cites {
		g.cites = append(g.cites, [2]int32{l.Citing, l.Cited})
	}
	b := newBuilder(rand.New(rand.NewPCG(seed, 0)))
	b.collective(g, c.IDs)
	return b.model("citation", 1e-1)
}
