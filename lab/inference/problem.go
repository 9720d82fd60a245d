package inference

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"hinge/lab/relational"
	"hinge/symbolic/ground"
	"hinge/symbolic/hlmrf"
	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
	"hinge/symbolic/psl"
)

// problem is what a run infers.
type problem interface {
	// instances compiles the problem anew, so that nothing is left of earlier
	// solves.
	instances(epsilon float64) ([]*lcqp.Instance, error)
	// score is the quality of the answers in percent: accuracy, AUROC, or for ratings
	// the mean absolute error.
	score(results []*infer.Result) (float64, error)
}

// part is the problem of a part of a relational data set.
type part struct {
	*relational.Part
	program *hlmrf.Program
	weights []float64
}

// openPart grounds the test part of a fold.
func openPart(set *relational.Set, k int) (*part, error) {
	fold, err := set.Fold(k)
	if err != nil {
		return nil, err
	}
	p := &part{Part: fold.Test, program: fold.Test.Template.Program()}
	if set.Metric == "accuracy" {
		rules, err := psl.Parse("base.psl", []byte(baseRules(topics(p.Data))))
		if err != nil {
			return nil, err
		}
		if p.program, err = ground.Ground(context.Background(), rules, p.Data, ground.Options{}); err != nil {
			return nil, err
		}
	}
	p.weights = p.program.Weights()
	largest := slices.Max(p.weights)
	for i := range p.weights {
		p.weights[i] /= largest
	}
	return p, nil
}

func (p *part) instances(epsilon float64) ([]*lcqp.Instance, error) {
	in, err := lcqp.NewInstance(p.program, epsilon)
	if err == nil {
		err = in.SetWeights(p.weights)
	}
	return []*lcqp.Instance{in}, err
}

func (p *part) score(results []*infer.Result) (float64, error) {
	s, err := p.Score(results[0].Y)
	return math.Abs(s.Value), err // an error counts negative there
}

// topics lists the topics of a citation database, sorted.
func topics(db *ground.Database) []string {
	var list []string
	for a := range db.Atoms("HasCat") {
		list = append(list, a.Args[1])
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// baseRules writes the base model of a citation graph.
func baseRules(topics []string) string {
	var b strings.Builder
	b.WriteString("1: HasCat(A, C) & Link(A, B) & (A != B) -> HasCat(B, C) ^2\n")
	b.WriteString("1: HasCat(A, C) & Link(B, A) & (A != B) -> HasCat(B, C) ^2\n")
	for _, t := range topics {
		fmt.Fprintf(&b, "1: HasCat(A, '%s') & Link(A, B) -> HasCat(B, '%[1]s') ^2\n", t)
	}
	b.WriteString("HasCat(A, +C) = 1 .\n0.001: !HasCat(A, C) ^2\n")
	return b.String()
}
