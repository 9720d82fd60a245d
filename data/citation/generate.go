package citation

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
)

// Generated describes a citation graph to generate.
type Generated struct {
	// Papers, Classes and Words are numbers. Each class has Words/(2·Classes) words that no
	// other class has; half of the vocabulary is common to all.
	Papers, Classes, Words int
	// PaperWords is the number of words drawn for a paper; a share Topical of them comes from
	// the words of the paper's class.
	PaperWords int
	Topical    float64
	// Cites is the number of citations a paper makes; the share Homophily of
	// them goes to papers of the same class.
	Cites     int
	Homophily float64
	// Seed decides everything else.
	Seed uint64
}

// Demo is the graph of the task citation-demo: its words alone are a weak hint
// at the topic, its citations a good one.
func Demo() Generated {
	return Generated{
		Papers: 900, Classes: 5, Words: 400, PaperWords: 12, Topical: 0.28,
		Cites: 2, Homophily: 0.85,
	}
}

// Generate makes a citation graph. Papers appear one by one and cite earlier
// papers; half of the citations follow the crowd and go where earlier papers of
// the class went, so that a few papers gather many citations.
func Generate(o Generated) (*Graph, error) {
	own := o.Words / (2 * max(o.Classes, 1))
	if o.Papers < 1 || o.Classes < 2 || own < 1 || o.PaperWords < 1 || o.PaperWords > o.Words/2 || o.Cites < 0 ||
		!(o.Topical >= 0 && o.Topical <= 1) || !(o.Homophily >= 0 && o.Homophily <= 1) {
		return nil, fmt.Errorf("citation: cannot generate a graph of %+v", o)
	}
	const stream = 0x67656e6572617465
	rng := rand.New(rand.NewPCG(o.Seed, stream))
	g := &Graph{Name: "generated", Words: o.Words, WordPtr: []int{0}}
	for c := range o.Classes {
		g.Classes = append(g.Classes, "topic"+strconv.Itoa(c))
	}
	papers := make([][]int32, o.Classes) // of a class
	cited := make([][]int32, o.Classes)  // once for each citation
	for i := range o.Papers {
		// Classes differ in size: class c of n has a share of about (3n − 2c − 1)/2n².
		class := rng.IntN(o.Classes)
		if rng.IntN(2) == 0 {
			class = min(class, rng.IntN(o.Classes))
		}
		g.IDs = append(g.IDs, strconv.Itoa(i))
		g.Labels = append(g.Labels, class)
		var words []int32
		for range o.PaperWords {
			w := o.Words/2 + rng.IntN(o.Words/2)
			if rng.Float64() < o.Topical {
				w = class*own + rng.IntN(own)
			}
			words = append(words, int32(w))
		}
		slices.Sort(words)
		g.WordCol = append(g.WordCol, slices.Compact(words)...)
		g.WordPtr = append(g.WordPtr, len(g.WordCol))
		g.cite(rng, o, int32(i), papers, cited)
		papers[class] = append(papers[class], int32(i))
	}
	return g, nil
}

// cite draws the citations of paper i.
func (g *Graph) cite(rng *rand.Rand, o Generated, i int32, papers, cited [][]int32) {
	var done []int32
	for range o.Cites {
		class := g.Labels[i]
		if rng.Float64() >= o.Homophily {
			class = rng.IntN(o.Classes)
		}
		pool := papers[class]
		if rng.IntN(2) == 0 && len(cited[class]) > 0 {
			pool = cited[class]
		}
		if len(pool) == 0 {
			continue
		}
		if j := pool[rng.IntN(len(pool))]; !slices.Contains(done, j) {
			done = append(done, j)
			g.Cites = append(g.Cites, Cite{Citing: i, Cited: j})
			cited[class] = append(cited[class], j)
		}
	}
}
