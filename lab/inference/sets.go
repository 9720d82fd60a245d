package inference

import (
	"fmt"
	"hash/fnv"
	"strings"

	"hinge/lab/relational"
	"hinge/lab/tables"
	"hinge/symbolic/infer"
	"hinge/symbolic/infer/baselines"
)

// set is a column of the tables.
type set struct {
	name, title string
	// epsilon and step are the published ε of dual block coordinate descent and
	// step of ADMM.
	epsilon, step float64
	splits        []int
	// digits is that of additions, 0 for relational data, and images the number of images
	// they are made of.
	digits, images int
	// slow reports whether the paper's method does not end within limit.
	slow bool
	// paper are the published seconds of admm, bcd-paper, bcd-lockfree and
	// subgradient; Mean 0 where there is none.
	paper map[string]tables.Figure
}

var five = []int{0, 1, 2, 3, 4}

var sets = []set{
	{name: "stance-createdebate", title: "CreateDebate", epsilon: 0.1, step: 1, splits: five, paper: map[string]tables.Figure{
		"admm": {Mean: 9.98, SD: 1.13}, "bcd-paper": {Mean: 0.05, SD: 0.02}, "bcd-lockfree": {Mean: 0.05, SD: 0.03}}},
	{name: "stance-4forums", title: "4Forums", epsilon: 0.1, step: 1, splits: five, paper: map[string]tables.Figure{
		"admm": {Mean: 15.17, SD: 0.74}, "bcd-paper": {Mean: 0.11, SD: 0.02}, "bcd-lockfree": {Mean: 0.05, SD: 0.01}}},
	{name: "epinions", title: "Epinions", epsilon: 0.1, step: 0.1, splits: five, paper: map[string]tables.Figure{
		"admm": {Mean: 0.36, SD: 0.041}, "bcd-paper": {Mean: 1.84, SD: 0.4}, "bcd-lockfree": {Mean: 0.26, SD: 0.04}, "subgradient": {Mean: 34.63, SD: 0.33}}},
	{name: "citeseer", title: "CiteSeer", epsilon: 10, step: 10, splits: five, paper: map[string]tables.Figure{
		"admm": {Mean: 0.63, SD: 0.07}, "bcd-paper": {Mean: 1.36, SD: 0.24}, "bcd-lockfree": {Mean: 0.49, SD: 0.08}, "subgradient": {Mean: 47.17, SD: 0.61}}},
	{name: "cora", title: "Cora", epsilon: 10, step: 10, splits: five, paper: map[string]tables.Figure{
		"admm": {Mean: 0.71, SD: 0.07}, "bcd-paper": {Mean: 6.46, SD: 3.5}, "bcd-lockfree": {Mean: 0.79, SD: 0.19}, "subgradient": {Mean: 48.66, SD: 1.24}}},
	{name: "ddi", title: "DDI", epsilon: 10, step: 1, splits: five[:1], paper: map[string]tables.Figure{
		"admm": {Mean: 7.85, SD: 0.28}, "bcd-paper": {Mean: 31.47, SD: 0.17}, "bcd-lockfree": {Mean: 1.76, SD: 0.17}}},
	{name: "yelp", title: "Yelp", epsilon: 0.1, step: 1, splits: five[:1], slow: true, paper: map[string]tables.Figure{
		"admm": {Mean: 6.37, SD: 1.19}, "bcd-paper": {Mean: 48.44, SD: 3.82}, "bcd-lockfree": {Mean: 7.58, SD: 0.48}, "subgradient": {Mean: 6961, SD: 46}}},
	{name: "add1", title: "MNIST-Add1", epsilon: 1e-3, step: 1, splits: five[:1], digits: 1, images: images, paper: map[string]tables.Figure{
		"admm": {Mean: 11.45, SD: 1.32}, "bcd-paper": {Mean: 10.23, SD: 1.04}, "bcd-lockfree": {Mean: 115, SD: 45}}},
	{name: "add2", title: "MNIST-Add2", epsilon: 1e-3, step: 1, splits: five[:1], digits: 2, images: images, slow: true, paper: map[string]tables.Figure{
		"admm": {Mean: 285, SD: 66}, "bcd-paper": {Mean: 29.09, SD: 8.00}, "bcd-lockfree": {Mean: 1189, SD: 16}}},
	{name: "add1-1000", title: "MNIST-Add1, 1,000 images", epsilon: 1e-3, step: 1, splits: five[:1], digits: 1, images: fewImages},
	{name: "add2-1000", title: "MNIST-Add2, 1,000 images", epsilon: 1e-3, step: 1, splits: five[:1], digits: 2, images: fewImages},
}

// published is the rule that the published programs used on the set.
func (s *set) published() rule {
	if s.digits > 0 {
		return byGap("paper's rule", 1e-3, 25000)
	}
	return published()
}

// method returns a method by name, ADMM with the published step or, for the rule
// of equal gaps, choosing its own.
func (s *set) method(name string, r rule) (infer.Method, error) {
	if name == "admm" && r.title != certified().title {
		return baselines.ADMM{Step: s.step, Relaxation: 1}, nil
	}
	return infer.New(name)
}

// source opens problems and keeps the last one of each set, as a table asks for
// the same ones again and again.
type source struct {
	root  string
	most  int // images of an addition set at most
	sets  map[string]*relational.Set
	last  map[string]problem
	split map[string]int
}

func newSource(root string, most int) *source {
	return &source{root: root, most: most, sets: map[string]*relational.Set{}, last: map[string]problem{}, split: map[string]int{}}
}

// get opens the problem of a set on a split.
func (d *source) get(s *set, split int) (problem, error) {
	if p := d.last[s.name]; p != nil && d.split[s.name] == split {
		return p, nil
	}
	p, err := d.open(s, split)
	if err == nil {
		d.last[s.name], d.split[s.name] = p, split
	}
	return p, err
}

func (d *source) open(s *set, split int) (problem, error) {
	if s.digits > 0 {
		return newAdditions(s.digits, d.drawn(s), uint64(split))
	}
	r := d.sets[s.name]
	if r == nil {
		var err error
		if r, err = relational.Open(s.name, d.root); err != nil {
			return nil, err
		}
		d.sets[s.name] = r
	}
	return openPart(r, split)
}

// drawn is the number of images of a set of additions. Relational sets have the most
// there are: that is in the settings of their recorded runs.
func (d *source) drawn(s *set) int {
	if s.digits > 0 {
		return min(s.images, d.most)
	}
	return d.most
}

// settings are what decides an outcome, the rule, the method, ε, and the limits: as a
// hash and in full.
func settings(s *set, m infer.Method, r rule, epsilon float64, more ...any) (short, full string) {
	text := fmt.Sprintf("%s %s %v %v", strings.Join(relational.MethodText(m), ""), relational.AsRecorded(fmt.Sprintf("%+v", r)), epsilon, more)
	h := fnv.New64a()
	h.Write([]byte(text))
	name := protocol + " " + s.name
	return fmt.Sprintf("%s %x", name, h.Sum64()), name + " " + text
}

// protocol is part of the settings of every cell. Change it when problems, rules
// or what is measured change.
const protocol = "inference 1"
