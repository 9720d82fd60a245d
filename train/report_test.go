package train

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/train/learning"
	"hinge/train/mapstate"
	"hinge/train/record"
)

// TestReport: a page is made at the steps that are asked for and at the end, when all
// files are there; an error of it is only noted.
func TestReport(t *testing.T) {
	var made []bool // whether there was a result
	opt := Options{Dir: t.TempDir(), ReportEvery: 12}
	opt.Report = func(dir string) error {
		_, err := os.Stat(filepath.Join(dir, record.ResultFile))
		made = append(made, err == nil)
		return errors.New("no paper")
	}
	w := new(watch)
	opt.Observer = w
	ran(t, toyConfig(), newToy(1), opt)
	if want := []bool{false, false, true}; !slices.Equal(made, want) {
		t.Errorf("made with a result %v, want %v", made, want)
	}
	assert.Contains(t, w.notes, "no report: no paper")
}

// TestShow: what a model shows of its test is in the run folder.
func TestShow(t *testing.T) {
	dir := t.TempDir()
	ran(t, toyConfig(), shower{newToy(1)}, Options{Dir: dir})
	data, err := os.ReadFile(filepath.Join(dir, record.ShownFile))
	require.NoError(t, err)
	var got learning.Shown
	if err := json.Unmarshal(data, &got); err != nil || got.Wrong != 3 || got.Cases[0].Truth != "2" || got.Cases[0].Explanation.Energy != .5 {
		t.Errorf("%s, %v", data, err)
	}
}

type shower struct{ *toy }

func (shower) Report(context.Context) (map[string]float64, error) { return nil, nil }

func (shower) Show() (*learning.Shown, error) {
	return &learning.Shown{Examples: 10, Wrong: 3, Cases: []learning.Case{{Truth: "2", Explanation: &mapstate.Explanation{Energy: .5}}}}, nil
}
