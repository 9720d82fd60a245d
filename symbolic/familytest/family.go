package familytest

import (
	"embed"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"strings"
)

//go:embed rules/*.psl
var ruleFiles embed.FS

// Family makes models of one kind.
type Family struct {
	// Name is the name on command lines, About one line on what it models.
	Name, About string

	rules   string // file without folder and extension
	epsilon float64
	perUnit float64 // ground terms a unit of size, about
	fill    func(b *builder, units int)
}

var all = []Family{
	{"chain", "a state along a path with a sensor at each step", "chain", 1e-2, 4, chain},
	{"grid", "a noisy image, linear hinges between neighbours", "grid", 1e-2, 6, grid},
	{"picture", "a noisy image of ramps and a disc, linear hinges between neighbours", "grid", 1e-2, 6, picture},
	{"cube", "a noisy body in space, linear hinges between neighbours", "cube", 1e-2, 8, cube},
	{"knn-regression", "prices of things with 8 similar ones each", "knn-regression", 1e-2, 18, knnRegression},
	{"knn-labels", "labels of things with 6 similar ones each", "knn-labels", 1e-2, 41, knnLabels},
	{"citation", "topics of papers in a citation graph", "citation", 1e-1, 24.6, citations},
	{"citation-links", "topics of papers in a citation graph, those that cite one another alike: quadratic", "citation-links", 1e-1, 24.4, citations},
	{"add1-soft", "sums of two digits, outputs of a network in training", "add1", 1e-3, 547, add1(soft)},
	{"add1-sharp", "sums of two digits, confident outputs", "add1", 1e-3, 547, add1(sharp)},
	{"add2-soft", "sums of two two-digit numbers, outputs of a network in training", "add2", 1e-3, 3605, add2(soft)},
	{"add2-sharp", "sums of two two-digit numbers, confident outputs", "add2", 1e-3, 3605, add2(sharp)},
}

// Names returns the names of all families that need no files.
func Names() []string {
	names := make([]string, len(all))
	for i, f := range all {
		names[i] = f.Name
	}
	return names
}

// Find returns the family of the given name.
func Find(name string) (Family, error) {
	for _, f := range all {
		if f.Name == name {
			return f, nil
		}
	}
	return Family{}, fmt.Errorf("familytest: no family %q, want one of %s", name, strings.Join(Names(), ", "))
}

// Model makes the model of the family with about the given number of ground
// terms; at least one unit (a step, a pixel, a thing, a paper, an addition) is
// made.
func (f Family) Model(terms int, seed uint64) (*Model, error) {
	if terms < 1 || terms > 1<<30 {
		return nil, fmt.Errorf("familytest: %d terms of %s, want 1 to 2³⁰", terms, f.Name)
	}
	units := max(1, int(math.Round(float64(terms)/f.perUnit)))
	h := fnv.New64a()
	h.Write([]byte(f.Name))
	b := newBuilder(rand.New(rand.NewPCG(seed, h.Sum64())))
	f.fill(b, units)
	return b.model(f.rules, f.epsilon)
}
