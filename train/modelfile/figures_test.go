package modelfile

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/symbolic/evaluate"
	"hinge/train"
	"hinge/train/record"
	"hinge/train/traintest"
)

// TestConfusion counts by hand; entities without a true class are left out.
func TestConfusion(t *testing.T) {
	classes, counts, sure := confusion(&evaluate.Categorical{Indexes: []int{-2}}, &evaluate.Sample{Arity: 2,
		Labelled: []evaluate.Atom{
			{Args: []string{"v", "a"}, Value: 0.2}, {Args: []string{"u", "a"}, Value: 0.7, Truth: 1},
			{Args: []string{"v", "b"}, Value: 0.1, Truth: 1},
		},
		Latent: []evaluate.Atom{{Args: []string{"u", "b"}, Value: 0.9}, {Args: []string{"u", "c"}, Value: 1}},
	})
	if !reflect.DeepEqual(classes, []string{"u", "v"}) || !reflect.DeepEqual(counts, [][]int{{1, 0}, {1, 0}}) {
		t.Errorf("classes %v, counts %v", classes, counts)
	}
	// Of a 0.9 is said of b where a is true, of b 0.2 where b is.
	if len(sure.Bins) != 2 {
		t.Errorf("calibration %+v", sure)
	}
}

// TestShow: a run shows the classes of each categorical predicate.
func TestShow(t *testing.T) {
	m, c := open(t, write(t, tiny, tinyFiles), "energy", nil)
	dir := t.TempDir()
	traintest.Run(t, c, m, train.Options{Dir: dir})
	text, err := os.ReadFile(filepath.Join(dir, record.ShownFile))
	require.NoError(t, err)
	for _, name := range []string{"A", "Y"} {
		if want := `"name":"` + name + `, by largest value","classes":["0","1"]`; !strings.Contains(string(text), want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
}
