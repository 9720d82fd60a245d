package relational

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"hinge/data/citation"
	"hinge/lab/linqs"
	"hinge/symbolic/ground"
	"hinge/symbolic/lcqp"
	"hinge/train/learning"
)

// Set is a data set of the experiments, read and ready to be folded.
type Set struct {
	// Name is one of Names.
	Name string
	// Metric names the score, in percent: accuracy, AUROC, or the mean absolute error
	// (MAE), which counts negative.
	Metric string
	// Folds are the folds of the experiments.
	Folds []int

	fold func(k int) (*Fold, error)
}

// Fold is one draw of data to learn on and data to test on.
type Fold struct{ Learn, Test *Part }

// sources reads the data sets; the keys are Names.
var sources = map[string]func(name, root string) (*Set, error){
	"cora": openCitation, "cora8": openCitation, "citeseer": openCitation, "citeseer7": openCitation,
	"epinions": openEpinions, "ddi": openDDI,
	"yelp": openPublished, "stance-4forums": openPublished, "stance-createdebate": openPublished,
}

// Names lists the data sets.
func Names() []string {
	return []string{"stance-createdebate", "stance-4forums", "epinions", "citeseer", "citeseer7", "cora", "cora8", "ddi", "yelp"}
}

// phantoms are the variants of citation graphs with one topic more, which no paper
// has, and the graphs they are of.
var phantoms = map[string]string{"cora8": "cora", "citeseer7": "citeseer"}

// phantom is the name of that topic.
const phantom = "None"

// base returns the data set that a variant is of, or the name itself.
func base(name string) string { return cmp.Or(phantoms[name], name) }

// Open reads a data set below a data root: the folder of its name, or for Cora and
// CiteSeer what citation.Load finds. A file that is missing or damaged is a
// *learning.DataError that says where the file can be had or what is wrong with it.
func Open(name, root string) (*Set, error) {
	open := sources[name]
	if open == nil {
		return nil, fmt.Errorf("relational: there is no data set %q; there are %s", name, strings.Join(Names(), ", "))
	}
	if root == "" && base(name) != "cora" && base(name) != "citeseer" {
		return nil, &learning.DataError{Source: filepath.Join("$HINGE_DATA", name), Msg: "name a data root with the folder " + name, Err: fs.ErrNotExist}
	}
	set, err := open(name, root)
	if err != nil {
		return nil, &learning.DataError{Err: err}
	}
	return set, nil
}

// Fold draws a fold and grounds it.
func (s *Set) Fold(k int) (*Fold, error) {
	if !slices.Contains(s.Folds, k) {
		return nil, fmt.Errorf("relational: %s has no fold %d; there are %v", s.Name, k, s.Folds)
	}
	return s.fold(k)
}

// firstFive are the folds of the paper's experiments.
var firstFive = []int{0, 1, 2, 3, 4}

// FoldSeed is the seed of the folds of Cora and CiteSeer.
const FoldSeed = 0

func openCitation(name, root string) (*Set, error) {
	g, err := citation.Load(base(name), citation.LINQS, root)
	if err != nil {
		return nil, err
	}
	if base(name) != name {
		g.Classes = append(slices.Clone(g.Classes), phantom)
	}
	return &Set{Name: name, Metric: "accuracy", Folds: firstFive, fold: func(k int) (*Fold, error) {
		learn, test, err := linqs.Halves(g, k, FoldSeed)
		if err != nil {
			return nil, err
		}
		halves := []*linqs.Half{&learn, &test}
		return both(func(i int) (*Part, error) { return citationPart(name, g, halves[i], uint64(2*k+i)) }, 0, 1)
	}}, nil
}

func openEpinions(name, root string) (*Set, error) {
	net, err := linqs.ReadEpinions(filepath.Join(root, name))
	if err != nil {
		return nil, err
	}
	return &Set{Name: name, Metric: "AUROC", Folds: firstFive, fold: func(k int) (*Fold, error) {
		learn, test, err := net.Part(k)
		if err != nil {
			return nil, err
		}
		return both(trustPart, &learn, &test)
	}}, nil
}

func openDDI(name, root string) (*Set, error) {
	learn, test, err := linqs.ReadInteractions(filepath.Join(root, name), 0)
	if err != nil {
		return nil, err
	}
	return &Set{Name: name, Metric: "AUROC", Folds: []int{0}, fold: func(int) (*Fold, error) {
		return both(interactionPart, &learn, &test)
	}}, nil
}

// both makes the two parts of a fold.
func both[P any](part func(P) (*Part, error), learn, test P) (f *Fold, err error) {
	f = new(Fold)
	if f.Learn, err = part(learn); err == nil {
		f.Test, err = part(test)
	}
	return f, err
}

// newPart grounds the rules of a data set over a database.
func newPart(name string, p *Part) (*Part, error) {
	rules, err := Rules(name)
	if err != nil {
		return nil, err
	}
	program, err := ground.Ground(context.Background(), rules, p.Data, ground.Options{})
	if err != nil {
		return nil, fmt.Errorf("relational: %s: %w", name, err)
	}
	p.Rules = rules
	if p.Template, err = lcqp.Compile(program); err != nil {
		return nil, fmt.Errorf("relational: %s: %w", name, err)
	}
	p.Labels = make([]float64, p.Template.Targets)
	for i := range p.Labels {
		var ok bool
		if p.Labels[i], ok = p.Data.TruthValue(i); !ok {
			return nil, fmt.Errorf("relational: %s: target %s has no label", name, program.Targets[i])
		}
	}
	return p, nil
}
