package relational

import (
	"math/rand/v2"
	"strconv"

	"hinge/data/citation"
	"hinge/lab/linqs"
	"hinge/symbolic/evaluate"
)

// lotStream is the second half of the PCG seed of the lots below.
const lotStream = 0x6c6f7473

// citationPart states half of a citation graph. All topics of a paper are
// observed or all are targets. Of topics with equal values the evaluator takes the
// first, so the order of a paper's topics is a lot among them: it begins at a
// random one.
func citationPart(name string, g *citation.Graph, h *linqs.Half, lots uint64) (*Part, error) {
	a := citationAtoms(g, h, lots)
	if a.err != nil {
		return nil, a.err
	}
	topic := []int{-1}
	return newPart(name, &Part{Data: a.db, predicate: "HasCat", evaluators: []metric{
		{"", "accuracy", &evaluate.Categorical{Indexes: topic, Scope: evaluate.Scope{IncludeObserved: true, CloseTruth: true}}},
		{"accuracy on papers without a given topic", "accuracy", &evaluate.Categorical{Indexes: topic}},
	}})
}

func citationAtoms(g *citation.Graph, h *linqs.Half, lots uint64) *atoms {
	rng := rand.New(rand.NewPCG(lots, lotStream))
	a := newAtoms(map[string]int{"HasCat": 2, "Link": 2})
	for i, p := range h.Papers {
		first := rng.IntN(len(g.Classes))
		for k := range g.Classes {
			c := (first + k) % len(g.Classes)
			label := number(g.Labels[p] == c)
			if h.Given[i] {
				a.observe("HasCat", label, g.IDs[p], g.Classes[c])
			} else {
				a.target("HasCat", label, g.IDs[p], g.Classes[c])
			}
		}
	}
	for _, c := range h.Cites {
		a.observe("Link", 1, g.IDs[c.Cited], g.IDs[c.Citing])
	}
	return a
}

// trustPart states a part of a trust network.
func trustPart(p *linqs.TrustPart) (*Part, error) {
	a := newAtoms(map[string]int{"Knows": 2, "Trusts": 2, "Prior": 1})
	args := func(j linqs.Judgement) []string { return []string{strconv.Itoa(j.From), strconv.Itoa(j.To)} }
	for _, j := range p.Given {
		a.observe("Knows", 1, args(j)...)
		a.observe("Trusts", number(j.Trusts), args(j)...)
	}
	for _, j := range p.Hidden {
		a.observe("Knows", 1, args(j)...)
		a.target("Trusts", number(j.Trusts), args(j)...)
	}
	a.observe("Prior", p.Prior(), "0")
	if a.err != nil {
		return nil, a.err
	}
	return newPart("epinions", &Part{Data: a.db, predicate: "Trusts",
		evaluators: []metric{{"", "auroc", &evaluate.AUC{Threshold: 0.5}}}})
}

// similarityNames are the predicates of linqs.Similarities.
var similarityNames = [len(linqs.Similarities)]string{"Atc", "Chemical", "Dist", "Go", "Ligand", "Seq", "SideEffects"}

// interactionPart states drug–drug interactions.
func interactionPart(p *linqs.InteractionPart) (*Part, error) {
	predicates := map[string]int{"Valid": 2, "Interacts": 2}
	for _, name := range similarityNames {
		predicates[name] = 2
	}
	a := newAtoms(predicates)
	for _, d := range p.Valid {
		a.observe("Valid", d.Value, d.A, d.B)
	}
	for _, d := range p.Given {
		a.observe("Interacts", d.Value, d.A, d.B)
	}
	for _, d := range p.Hidden {
		a.target("Interacts", d.Value, d.A, d.B)
	}
	for i, list := range p.Similar {
		for _, d := range list {
			a.observe(similarityNames[i], d.Value, d.A, d.B)
		}
	}
	if a.err != nil {
		return nil, a.err
	}
	// The reference's threshold; with interactions of 0 and 1 any would do.
	return newPart("ddi", &Part{Data: a.db, predicate: "Interacts",
		evaluators: []metric{{"", "auroc", &evaluate.AUC{Threshold: 0.4}}}})
}
