package familytest

import (
	"fmt"
	"math/rand/v2"
)

// graph is a citation graph: the topic of each paper, 0 to 6, and who cites
// whom.
type graph struct {
	topic []int
	cites [][2]int32
}

const topics = 7

// citations is a random citation graph of n papers, half of them observed, with
// two citations a paper: the shape of Cora.
func citations(b *builder, n int) {
	b.collective(randomGraph(b.rng, n), numbers(n))
}

// shares are the topics' shares in Cora, in percent.
var shares = [topics]int{30, 16, 15, 13, 11, 8, 7}

// randomGraph lets papers appear one by one. A paper cites up to nine earlier
// ones, two on average: four out of five times papers of its own topic, and
// often what another paper of that topic has cited, so that few papers gather
// many citations and others none.
func randomGraph(rng *rand.Rand, n int) graph {
	g := graph{topic: make([]int, n)}
	var of [topics][]int32    // papers of a topic
	var cited [topics][]int32 // papers of a topic, once for each citation
	seen := map[int32]bool{}
	for i := range n {
		at := rng.IntN(100)
		for at >= shares[g.topic[i]] {
			at -= shares[g.topic[i]]
			g.topic[i]++
		}
		clear(seen)
		for range 9 {
			if rng.IntN(3) == 0 {
				break
			}
			t := g.topic[i]
			if rng.IntN(5) == 0 {
				t = rng.IntN(topics)
			}
			pool := of[t]
			if rng.IntN(2) == 0 {
				pool = cited[t]
			}
			if len(pool) == 0 {
				continue
			}
			if j := pool[rng.IntN(len(pool))]; !seen[j] {
				seen[j] = true
				g.cites = append(g.cites, [2]int32{int32(i), j})
				cited[t] = append(cited[t], j)
			}
		}
		of[g.topic[i]] = append(of[g.topic[i]], int32(i))
	}
	return g
}

// Citation returns the model of the family citation on a given graph: papers with their names
// and topics, 0 to 6, and for each citation the citing and the cited paper by index. Which half
// of the papers is observed follows from the seed.
func Citation(names []string, topic []int, cites [][2]int32, seed uint64) (*Model, error) {
	for i, t := range topic {
		if t < 0 || t >= topics {
			return nil, fmt.Errorf("familytest: paper %d has topic %d, want 0 to %d", i, t, topics-1)
		}
	}
	b := newBuilder(rand.New(rand.NewPCG(seed, 0)))
	b.collective(graph{topic, cites}, names)
	return b.model("citation", 1e-1)
}

// collective states a citation graph whose papers have the given names; the
// topics of a random half of them are observed.
func (b *builder) collective(g graph, ids []string) {
	b.Declare("Topic", 2)
	b.Declare("Cites", 2)
	names := numbers(topics + 1)[1:]
	for i, id := range ids {
		observed := b.rng.IntN(2) == 0
		for t, name := range names {
			switch {
			case !observed:
				b.Target("Topic", id, name)
			case t == g.topic[i]:
				b.observe("Topic", 1, id, name)
			default:
				b.observe("Topic", 0, id, name)
			}
		}
	}
	for _, c := range g.cites {
		b.observe("Cites", 1, ids[c[0]], ids[c[1]])
	}
}
