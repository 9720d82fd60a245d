package relational

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"hinge/train"
)

func TestOpenErrors(t *testing.T) {
	for _, test := range []struct{ name, root, want string }{
		{"yelp", "", `no data set "yelp"; there are cora, cora8, citeseer, citeseer7, epinions, ddi`},
		{"epinions", "", "Name a data root with the folder epinions"},
		{"ddi", t.TempDir(), "valid_interactions_obs.txt"},
		{"epinions", t.TempDir(), "knows.txt"},
	} {
		_, err := Open(test.name, test.root)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
		var data *train.DataError
		if errors.As(err, &data) != (test.name != "yelp") {
			t.Errorf("%s: %T", test.name, err)
		}
		if missing := errors.Is(err, fs.ErrNotExist); missing != (test.name != "yelp") {
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
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// Fold 0 of each set has the sizes of its files and of its rules' groundings.
func TestFolds(t *testing.T) {
	for name, want := range map[string]struct{ learn, test, classes int }{
		"cora": {1354, 1354, 7}, "cora8": {1354, 1354, 8}, "citeseer": {1656, 1656, 6},
		"citeseer7": {1656, 1656, 7}, "epinions": {1004, 1098, 0},
	} {
		set := open(t, name)
		if !slices.Equal(set.Folds, []int{0, 1, 2, 3, 4}) {
			t.Errorf("%s has the folds %v", name, set.Folds)
		}
		f, err := set.Fold(0)
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range []*Part{f.Learn, f.Test} {
			n := []int{want.learn, want.test}[i]
			if want.classes == 0 {
				if p.Template.Targets != n {
					t.Errorf("%s: %d targets, want %d", name, p.Template.Targets, n)
				}
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
			if p.Template.Potentials < 60000 {
				t.Errorf("%s: %d potentials", name, p.Template.Potentials)
			}
		}
		if _, err := set.Fold(5); err == nil {
			t.Errorf("%s has a fold 5", name)
		}
	}
}
