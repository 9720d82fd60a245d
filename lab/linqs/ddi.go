package linqs

import (
	"fmt"
	"path/filepath"
	"strconv"
)

// Similarities are the seven measures of the similarity of two drugs.
var Similarities = [7]string{"atc", "chemical", "dist", "go", "ligand", "seq", "sideeffects"}

const ddiSource = "Drug–drug interactions are the folder general-interactions of " +
	"https://linqs-data.soe.ucsc.edu/public/psl-examples-data/drug-drug-interaction.zip; " +
	"put its folder 00 into the folder ddi of the data root, as general-interactions-00"

// DrugPair is a pair of drugs with a value in [0, 1].
type DrugPair struct {
	A, B  string
	Value float64
}

// InteractionPart is the data to learn on or to test on.
type InteractionPart struct {
	// Valid are the pairs that may interact, all of value 1.
	Valid []DrugPair
	// Given are the pairs whose interaction, 0 or 1, is observed, Hidden those
	// to predict, with what is true.
	Given, Hidden []DrugPair
	// Similar holds the pairs of each of the Similarities.
	Similar [len(Similarities)][]DrugPair
}

// ReadInteractions reads the two parts of a fold, 0 to 9, from the folder
// general-interactions-NN. Given and hidden pairs must be valid and must not
// overlap; the hidden ones must be those of interacts_target.
func ReadInteractions(dir string, fold int) (learn, test InteractionPart, err error) {
	if fold < 0 || fold > 9 {
		return learn, test, fmt.Errorf("linqs: fold %d is not between 0 and 9", fold)
	}
	root := filepath.Join(dir, fmt.Sprintf("general-interactions-%02d", fold))
	if err = learn.read(filepath.Join(root, "learn")); err == nil {
		err = test.read(filepath.Join(root, "eval"))
	}
	return learn, test, err
}

func (p *InteractionPart) read(dir string) (err error) {
	valid, given, hidden := map[[2]string]bool{}, map[[2]string]bool{}, map[[2]string]bool{}
	if p.Valid, err = readPairs(dir, "valid_interactions_obs.txt", valid, func(d DrugPair) error {
		if d.Value != 1 {
			return fmt.Errorf("a valid pair has the value %v, want 1", d.Value)
		}
		return nil
	}); err != nil {
		return err
	}
	among := func(d DrugPair) error {
		switch k := [2]string{d.A, d.B}; {
		case !valid[k]:
			return fmt.Errorf("the pair %s, %s is not in valid_interactions_obs.txt", d.A, d.B)
		case given[k]:
			return fmt.Errorf("the pair %s, %s is in interacts_obs.txt, too", d.A, d.B)
		case d.Value != 0 && d.Value != 1:
			return fmt.Errorf("an interaction has the value %v, want 0 or 1", d.Value)
		}
		return nil
	}
	// The check of the observed pairs sees only those of the truth as given.
	seen := map[[2]string]bool{}
	if p.Given, err = readPairs(dir, "interacts_obs.txt", seen, among); err != nil {
		return err
	}
	given = seen
	if p.Hidden, err = readPairs(dir, "interacts_truth.txt", hidden, among); err != nil {
		return err
	}
	targets := filepath.Join(dir, "interacts_target.txt")
	left := len(hidden)
	err = eachLine(targets, ddiSource, 2, func(f []string) error {
		k := [2]string{f[0], f[1]}
		if !hidden[k] {
			return fmt.Errorf("the pair %s, %s is not in interacts_truth.txt or is there twice", f[0], f[1])
		}
		hidden[k] = false
		left--
		return nil
	})
	if err == nil && left > 0 {
		err = fmt.Errorf("linqs: %s: %d pairs of interacts_truth.txt are missing: is the file complete?", targets, left)
	}
	for i, s := range Similarities {
		if err == nil {
			p.Similar[i], err = readPairs(dir, "similarity_"+s+".txt", map[[2]string]bool{}, nil)
		}
	}
	return err
}

// readPairs reads lines "drug<TAB>drug<TAB>value" and notes the pairs.
func readPairs(dir, name string, seen map[[2]string]bool, check func(DrugPair) error) (list []DrugPair, err error) {
	path := filepath.Join(dir, name)
	err = eachLine(path, ddiSource, 3, func(f []string) error {
		v, err := strconv.ParseFloat(f[2], 64)
		if err != nil || !(v >= 0 && v <= 1) {
			return fmt.Errorf("the value %q is not a number in [0, 1]", f[2])
		}
		d := DrugPair{f[0], f[1], v}
		k := [2]string{d.A, d.B}
		if d.A == "" || d.B == "" {
			return fmt.Errorf("a drug without a name")
		}
		if seen[k] {
			return fmt.Errorf("the pair %s, %s is there twice", d.A, d.B)
		}
		if check != nil {
			if err := check(d); err != nil {
				return err
			}
		}
		seen[k] = true
		list = append(list, d)
		return nil
	})
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("linqs: %s: the file is empty", path)
	}
	return list, err
}
