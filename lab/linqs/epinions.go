package linqs

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
)

// TrustFolds is the number of folds of the trust network.
const TrustFolds = 8

const epinionsSource = "Epinions is the sample of the signed trust network in data/epinions of " +
	"https://github.com/stephenbach/bach-uai13-code; put knows.txt and trusts.txt into the folder epinions of the data root"

// Judgement says that one person knows another and whether he trusts him.
type Judgement struct {
	From, To int
	Trusts   bool
}

// TrustNetwork is a signed trust network: who knows whom, and who trusts whom of
// those he knows.
type TrustNetwork struct {
	// Judgements are sorted by From and To.
	Judgements []Judgement
	// Fold is the fold, 0 to 7, of each judgement.
	Fold []int
}

// ReadEpinions reads knows.txt and trusts.txt, lines "from<TAB>to<TAB>0 or 1",
// of a folder and draws the folds. Both files must name the same pairs.
//
// The folds are those of Bach et al., Hinge-Loss Markov Random Fields and
// Probabilistic Soft Logic (2017): the sorted pairs draw numbers below 8 from
// java.util.Random with seed 0.
func ReadEpinions(dir string) (*TrustNetwork, error) {
	type pair [2]int
	number := func(s string) (int, error) {
		v, err := strconv.Atoi(s)
		if err != nil || v < 0 || strconv.Itoa(v) != s {
			return 0, fmt.Errorf("%q is not the number of a person", s)
		}
		return v, nil
	}
	read := func(name string, add func(p pair, value string) error) error {
		return eachLine(filepath.Join(dir, name), epinionsSource, 3, func(f []string) error {
			from, err := number(f[0])
			if err != nil {
				return err
			}
			to, err := number(f[1])
			if err != nil {
				return err
			}
			return add(pair{from, to}, f[2])
		})
	}
	known := map[pair]bool{}
	err := read("knows.txt", func(p pair, value string) error {
		if known[p] {
			return fmt.Errorf("the pair %d, %d is there twice", p[0], p[1])
		}
		if value != "1" {
			return fmt.Errorf("the value %q is not 1", value)
		}
		known[p] = true
		return nil
	})
	if err != nil {
		return nil, err
	}
	net := new(TrustNetwork)
	err = read("trusts.txt", func(p pair, value string) error {
		if !known[p] {
			return fmt.Errorf("the pair %d, %d is not in knows.txt or is there twice", p[0], p[1])
		}
		delete(known, p)
		if value != "0" && value != "1" {
			return fmt.Errorf("the value %q is neither 0 nor 1", value)
		}
		net.Judgements = append(net.Judgements, Judgement{p[0], p[1], value == "1"})
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(known) > 0 {
		return nil, fmt.Errorf("linqs: %s: %d pairs of knows.txt are missing: is the file complete?",
			filepath.Join(dir, "trusts.txt"), len(known))
	}
	if len(net.Judgements) == 0 {
		return nil, fmt.Errorf("linqs: %s: the file is empty", filepath.Join(dir, "trusts.txt"))
	}
	slices.SortFunc(net.Judgements, func(a, b Judgement) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	net.Fold = make([]int, len(net.Judgements))
	r := newJavaRandom(0)
	for i := range net.Fold {
		net.Fold[i] = r.eighth()
	}
	return net, nil
}

// TrustPart is a part of a trust network to learn on or to test on.
type TrustPart struct {
	// Given are the judgements that are observed, Hidden those to predict. All
	// people in both know each other.
	Given, Hidden []Judgement
}

// Prior returns the share of trust in the given judgements.
func (p *TrustPart) Prior() float64 {
	trusts := 0
	for _, j := range p.Given {
		if j.Trusts {
			trusts++
		}
	}
	return float64(trusts) / float64(max(1, len(p.Given)))
}

// Part returns the parts of fold f, 0 to 7. To test, fold f is hidden and the
// others are given. To learn, fold f is not there at all, the fold before it
// (that is 7 before 0) is hidden and the other six are given.
func (n *TrustNetwork) Part(f int) (learn, test TrustPart, err error) {
	if f < 0 || f >= TrustFolds {
		return learn, test, fmt.Errorf("linqs: fold %d is not between 0 and %d", f, TrustFolds-1)
	}
	before := (f + TrustFolds - 1) % TrustFolds
	for i, j := range n.Judgements {
		switch n.Fold[i] {
		case f:
			test.Hidden = append(test.Hidden, j)
			continue
		case before:
			learn.Hidden = append(learn.Hidden, j)
		default:
			learn.Given = append(learn.Given, j)
		}
		test.Given = append(test.Given, j)
	}
	return learn, test, nil
}
