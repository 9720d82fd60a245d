package ground

import (
	"fmt"
	"iter"
)

// Truth gives the true value, in [0, 1], of an atom, usually of a target. It
// has no influence on grounding. A second, different value is an error.
func (db *Database) Truth(pred string, value float64, args ...string) error {
	if err := checkValue(value, pred, args); err != nil {
		return err
	}
	p, tuple, err := db.tuple(pred, args, true)
	if err != nil {
		return err
	}
	row, added := p.truth.insert(tuple)
	if added {
		p.truthValue = append(p.truthValue, value)
	} else if p.truthValue[row] != value {
		return fmt.Errorf("the truth of %s is given as %v and as %v", atomName(p.name, args), p.truthValue[row], value)
	}
	return nil
}

// TruthValue returns the true value of target column i, false if it has none.
func (db *Database) TruthValue(i int) (float64, bool) { return db.targets[i].truth() }

// DeepTruth is TruthValue for deep column i.
func (db *Database) DeepTruth(i int) (float64, bool) { return db.deep[i].truth() }

func (r atomRef) truth() (float64, bool) { return r.pred.truthOf(r.pred.row(r.row)) }

func (p *predicate) truthOf(tuple []int32) (float64, bool) {
	row := p.truth.find(tuple)
	if row < 0 {
		return 0, false
	}
	return p.truthValue[row], true
}

// TruthOf returns the true value of an atom of any kind, false if it has none.
func (db *Database) TruthOf(pred string, args ...string) (float64, bool) {
	p, tuple, err := db.tuple(pred, args, false)
	if err != nil || tuple == nil {
		return 0, false
	}
	return p.truthOf(tuple)
}

// Truths yields the arguments and the true values of a predicate's atoms in the order of insertion;
// nothing for an unknown predicate.
func (db *Database) Truths(pred string) iter.Seq2[[]string, float64] {
	return func(yield func([]string, float64) bool) {
		p := db.lookup(pred)
		if p == nil {
			return
		}
		for row, value := range p.truthValue {
			if !yield(db.strings(p.truth.row(int32(row))), value) {
				return
			}
		}
	}
}

// StrayTruths counts the true values of a predicate's atoms that are neither
// targets nor observed; first are the arguments of the first of them.
func (db *Database) StrayTruths(pred string) (n int, first []string) {
	p := db.lookup(pred)
	if p == nil {
		return 0, nil
	}
	for i := range int32(p.truth.rows) {
		if p.find(p.truth.row(i)) >= 0 {
			continue
		}
		if n == 0 {
			first = db.strings(p.truth.row(i))
		}
		n++
	}
	return n, first
}
