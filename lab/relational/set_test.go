package relational

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/lab/linqs"
	"hinge/symbolic/infer"
	"hinge/train/learning"
)

func TestOpenErrors(t *testing.T) {
	for _, test := range []struct{ name, root, want string }{
		{"jester", "", `no data set "jester"; there are stance-createdebate, stance-4forums, epinions, citeseer, citeseer7, cora, cora8, ddi, yelp`},
		{"yelp", "", "name a data root with the folder yelp"},
		{"yelp", t.TempDir(), "psl-examples-data/yelp.zip"},
		{"stance-4forums", t.TempDir(), "psl-examples-data/stance-4forums.zip"},
		{"epinions", "", "name a data root with the folder epinions"},
		{"ddi", t.TempDir(), "valid_interactions_obs.txt"},
		{"epinions", t.TempDir(), "knows.txt"},
	} {
		_, err := Open(test.name, test.root)
		assert.ErrorContainsf(t, err, test.want, "%s", test.name)
		var data *learning.DataError
		if errors.As(err, &data) != (test.name != "jester") {
			t.Errorf("%s: %T", test.name, err)
		}
		if missing := errors.Is(err, fs.ErrNotExist); missing != (test.name != "jester") {
			t.Errorf("%s: missing %v", test.name, missing)
		}
	}
}

// open opens a data set below HINGE_DATA.
func open(t *testing.T, name string) *Set {
	t.Helper()
	root := os.Getenv("HINGE_DATA")
	if root == "" {
		t.Skip("set HINGE_DATA to the data root to run this test; the errors of Open say where the files can be had")
	}
	set, err := Open(name, root)
	require.NoError(t, err)
	return set
}

// Fold 0 of each set has the sizes of its files and of its rules' groundings.
func TestFolds(t *testing.T) {
	for name, want := range map[string]struct{ learn, test, classes int }{
		"cora": {1354, 1354, 7}, "cora8": {1354, 1354, 8}, "citeseer": {1656, 1656, 6},
		"citeseer7": {1656, 1656, 7}, "epinions": {1004, 1098, 0},
	} {
		set := open(t, name)
		assert.Equalf(t, []int{0, 1, 2, 3, 4}, set.Folds, "%s has the folds", name)
		f, err := set.Fold(0)
		require.NoError(t, err)
		for i, p := range []*Part{f.Learn, f.Test} {
			n := []int{want.learn, want.test}[i]
			if want.classes == 0 {
				assert.Equal(t, n, p.Template.Targets, name)
				continue
			}
			all := 0
			for range p.Data.Atoms("HasCat") {
				all++
			}
			if all != n*want.classes || p.Template.Targets != p.Template.Constraints*want.classes {
				t.Errorf("%s: %d atoms, %d targets, %d hard rows; %d papers", name, all, p.Template.Targets, p.Template.Constraints, n)
			}
			if share := float64(p.Template.Constraints) / float64(n); share < 0.45 || share > 0.55 {
				t.Errorf("%s: %v of the papers have no given topic", name, share)
			}
			assert.GreaterOrEqual(t, p.Template.Potentials, 60000, name)
		}
		if _, err := set.Fold(5); err == nil {
			t.Errorf("%s has a fold 5", name)
		}
	}
}

// The sets in the published layout have the numbers of targets and groundings that their
// files and rules give, and the score that the weights of the first file give.
func TestPublishedFolds(t *testing.T) {
	for name, want := range map[string]struct {
		learn, test, groundings int
		score                   float64
	}{"stance-createdebate": {586, 175, 934, 69.63}, "stance-4forums": {999, 195, 1126, 59.13}} {
		f, err := open(t, name).Fold(0)
		require.NoError(t, err)
		if f.Learn.Template.Targets != want.learn || f.Test.Template.Targets != want.test || f.Test.Template.Potentials != want.groundings {
			t.Errorf("%s: %d and %d targets, %d potentials, want %+v", name, f.Learn.Template.Targets, f.Test.Template.Targets, f.Test.Template.Potentials, want)
		}
		s, err := f.Test.Infer(slices.Repeat([]float64{1}, len(f.Test.Rules.Rules)), 1e-3, infer.Settings{})
		if err != nil || math.Abs(s.Value-want.score) > 0.01 {
			t.Errorf("%s: AUROC %v, %v, want %v", name, s.Value, err, want.score)
		}
	}
}

// An error counts negative, so that learning stops where it no longer falls.
func TestErrorsCountNegative(t *testing.T) {
	a := newAtoms(nil)
	for _, p := range linqs.Yelp().Predicates {
		a.note(a.db.Predicate(p.Name, p.Arity))
	}
	a.target("Rating", 0.8, "u", "i")
	a.target("Rating", 0.4, "u", "j")
	for _, name := range linqs.Predictors {
		a.observe(name, 0.7, "u", "i")
		a.observe(name, 0.7, "u", "j")
	}
	require.NoError(t, a.err)
	p, err := published["yelp"].part("yelp", a.db)
	require.NoError(t, err)
	s, err := p.Infer(slices.Repeat([]float64{1}, len(p.Rules.Rules)), 1e-3, infer.Settings{})
	if err != nil || math.Abs(s.Value+20) > 0.1 { // both are predicted .7
		t.Errorf("score %v, %v, want −20", s.Value, err)
	}
}
