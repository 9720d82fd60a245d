package addition

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/data/jsonl"
	"hinge/lab/tables"
	"hinge/tasks/mnistadd"
	"hinge/train/config"
	"hinge/train/learning"
	"hinge/train/record"
)

func options(t *testing.T) tables.Options {
	return tables.Options{Dir: t.TempDir(), Note: func(string) {}}
}

// TestGrids: the tables have the cells they promise, each with its own settings or splits.
func TestGrids(t *testing.T) {
	for _, c := range []struct {
		name  string
		build tables.Builder
		opt   tables.Options
		cells int
	}{
		{"table 6", Table6, tables.Options{}, 7 * 4},
		{"table 6, paper", Table6, tables.Options{Recipe: "paper"}, 7 * 4},
		{"table 6, best", Table6, tables.Options{Recipe: "best"}, 0},
		{"table 6, quick", Table6, tables.Options{Quick: true}, 0},
		{"fresh", Fresh, tables.Options{}, 6 * 4},
		{"fresh, paper", Fresh, tables.Options{Recipe: "paper"}, 0},
		{"fresh, quick", Fresh, tables.Options{Quick: true}, 3 * 2},
		{"exact likelihood", Level, tables.Options{}, 2 * 8},
		{"exact likelihood, paper", Level, tables.Options{Recipe: "paper"}, 0},
		{"exact likelihood, quick", Level, tables.Options{Quick: true}, 0},
		{"selection", Selection, tables.Options{}, 3 + 8 + 1 + 2 + 3 + 7 + 3 + 5},
		{"selection, quick", Selection, tables.Options{Quick: true}, 9},
		{"search", Search, tables.Options{}, 17 + 6 + 13},
		{"search, quick", Search, tables.Options{Quick: true}, 0},
		{"ablation", Ablation, tables.Options{}, 21 + 4},
		{"ablation, quick", Ablation, tables.Options{Quick: true}, 3},
		{"noisy rules", NoisyRules, tables.Options{}, 6 + 4},
		{"noisy rules, quick", NoisyRules, tables.Options{Quick: true}, 2},
		{"longer numbers", Full, tables.Options{}, 4 + 2 + 2 + 4 + 1 + 2},
		{"longer numbers, quick", Full, tables.Options{Quick: true}, 2 + 1 + 1 + 2},
		{"long numbers", Long, tables.Options{}, 6 * 3},
		{"long numbers, quick", Long, tables.Options{Quick: true}, 1},
		{"learning times", LearningTimes, tables.Options{}, 2 * 2 * 3},
		{"learning times, quick", LearningTimes, tables.Options{Quick: true}, 2 * 3},
	} {
		table, err := c.build(c.opt)
		require.NoErrorf(t, err, "%s", c.name)
		assert.Equalf(t, c.cells, len(table.Cells), "%s", c.name)
		seen := map[string]string{}
		for _, cell := range table.Cells {
			label := cell.Row + ", " + cell.Column
			key := cell.Settings + fmt.Sprint(cell.Splits)
			if other, ok := seen[key]; ok {
				t.Errorf("%s: %s has the settings and splits of %s", c.name, label, other)
			}
			seen[key] = label
		}
	}
}

// decoded are the settings of a cell.
func decoded(t *testing.T, c *tables.Cell) (cfg config.Config) {
	t.Helper()
	require.NoError(t, toml.Unmarshal([]byte(c.Settings), &cfg))
	return cfg
}

// TestProtocols: settings are chosen without a test, on other splits than those they
// are judged on, and judged on fresh data; Table 6 keeps the published protocol.
func TestProtocols(t *testing.T) {
	for _, c := range []struct {
		name         string
		build        tables.Builder
		from, to     int // splits, five of them in a cell unless blind or further ones
		blind, fresh bool
	}{
		{"table 6", Table6, 0, 4, false, false},
		{"fresh", Fresh, 5, 14, false, true},
		{"exact likelihood", Level, 20, moreFrom + 39, false, true},
		{"selection", Selection, 0, 4, true, false},
		{"search", Search, 0, 1, true, false},
		{"ablation", Ablation, 0, 4, true, false},
		{"noisy rules", NoisyRules, 0, 49, true, false},
	} {
		table, err := c.build(tables.Options{})
		require.NoError(t, err)
		for i := range table.Cells {
			cell := &table.Cells[i]
			cfg := decoded(t, cell).Training
			if cfg.NoTest != c.blind || cfg.FreshTest != c.fresh || c.blind && !cfg.MoreTest ||
				slices.Min(cell.Splits) < c.from || slices.Max(cell.Splits) > c.to || !c.blind && len(cell.Splits) != 5 && !strings.HasSuffix(cell.Column, moreMark) {
				t.Errorf("%s, %s, %s: splits %v, %+v", c.name, cell.Row, cell.Column, cell.Splits, cfg)
			}
		}
	}
}

// TestRun makes one short run, finds it again without training, and goes on with
// one that was interrupted.
func TestRun(t *testing.T) {
	o := options(t)
	cfg := mnistadd.SystemDefaults("deepproblog", "mnist-add1", "energy", "best", 12)
	cfg.Training.Epochs, cfg.Training.Steps, cfg.Training.Batch, cfg.Neural.Views = 0, 2, 4, 0
	cfg.Training.MoreTest = false
	mnistadd.OptionsOf(&cfg).Network = "lenet"
	c, err := cell(o, "row", "column", nil, []int{0}, cfg)
	require.NoError(t, err)
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := c.Run(ended, 0); err == nil {
		t.Fatal("an interrupted run gave no error")
	}
	steps := 0
	o.Note = func(line string) {
		if strings.Contains(line, "going on from step 1 of 2") {
			steps++
		}
	}
	c, err = cell(o, "row", "column", nil, []int{0}, cfg)
	require.NoError(t, err)
	first, err := c.Run(context.Background(), 0)
	require.NoError(t, err)
	assert.Equal(t, 1, steps, "the interrupted run did not go on")
	if first.Value < 0 || first.Value > 100 || first.WallS <= 0 {
		t.Errorf("outcome %+v", first)
	}
	again, err := c.Run(ended, 0) // a finished run needs no context
	if err != nil || again.Value != first.Value || again.WallS != first.WallS {
		t.Errorf("read again: %+v (%v), first %+v", again, err, first)
	}
}

// TestOutcome: accuracies in per cent, the pre-training in the wall time.
func TestOutcome(t *testing.T) {
	got := outcome(record.Result{
		TestParts: new(.875), TestAccuracy: .5, TestExamples: 8, ValidAccuracy: .25, MoreAccuracy: .75, MoreExamples: 4, WallS: 10, PretrainS: 5, SolverS: 1, NeuralS: 2,
	})
	if got.Value != 50 || got.WallS != 15 || got.SolverS != 1 || got.NeuralS != 2 {
		t.Errorf("outcome %+v", got)
	}
	want := map[string]float64{validation: 25, furtherTest: 75, singleDigits: 87.5, pretrainTimes: 5}
	assert.Equal(t, want, got.More, "further figures")
	fresh := outcome(record.Result{
		TestParts: new(.875), TestAccuracy: .5, TestExamples: 4, ValidAccuracy: .25, FreshAccuracy: .75, FreshExamples: 8, FreshParts: new(.625),
	})
	if want := map[string]float64{validation: 25, protocolTest: 50, singleDigits: 62.5}; fresh.Value != 75 || !maps.Equal(fresh.More, want) {
		t.Errorf("judged on fresh data: %+v", fresh)
	}
	long := outcome(record.Result{TestExamples: 50, More: map[string]float64{"sums of 100-digit numbers": .5, "sums of 200-digit numbers": .25}})
	assert.Equalf(t, map[string]float64{validation: 0, paired(100): 50, paired(200): 25}, long.More, "over pairings: %+v", long)
	blind := outcome(record.Result{ValidAccuracy: .25, MoreValidAccuracy: .5, MoreValidExamples: 8})
	if want := map[string]float64{furtherValid: 50}; blind.Value != 25 || !maps.Equal(blind.More, want) {
		t.Errorf("not tested: %+v", blind)
	}
}

// TestChosen: DeepProbLog is judged with the settings that are best in the committed
// records of the search, among those that have all its splits.
func TestChosen(t *testing.T) {
	records, err := jsonl.Read[tables.Record](filepath.Join("..", "benchmarks", "table6-selection.jsonl"))
	require.NoError(t, err)
	table, err := Search(tables.Options{})
	require.NoError(t, err)
	for z, v := range chosen {
		best, most, tried := "", 0.0, 0
		for _, c := range table.Cells {
			sum, n := 0.0, 0
			for _, r := range records {
				if r.Table == table.Label() && r.Row == c.Row && r.Column == c.Column && c.Column == z.column() {
					sum, n = sum+r.Value, n+1
				}
			}
			if n == 0 || n != len(c.Splits) {
				continue
			}
			if tried++; sum > most+1e-9 {
				best, most = c.Row, sum
			}
		}
		if v.name != best || tried < 6 {
			t.Errorf("%s: %q is judged, %q is the best of %d settings", z.column(), v.name, best, tried)
		}
	}
}

// TestAllValidation: the figure of the search weighs additions alike, not the two parts.
func TestAllValidation(t *testing.T) {
	more := map[string]float64{furtherValid: 80}
	run := allValidation(func(context.Context, int) (tables.Outcome, error) { return tables.Outcome{Value: 50, More: more}, nil })
	out, err := run(context.Background(), 0)
	if err != nil || out.Value != (250*50.+1250*80.)/1500 || out.More[validation] != 50 {
		t.Errorf("%+v (%v)", out, err)
	}
	delete(more, furtherValid)
	if _, err := run(context.Background(), 0); err == nil {
		t.Error("a run without further validation counts")
	}
}

// TestOfTraining: what Table 3 sums up are the steps of training alone.
func TestOfTraining(t *testing.T) {
	seconds, unsolved := ofTraining([]record.Metric{
		{Split: learning.TrainPart, SolverS: 1, Unsolved: 1}, {Split: learning.ValidPart, SolverS: 10, Unsolved: 10}, {Split: learning.TrainPart, SolverS: 2, Unsolved: 3},
	})
	if seconds != 3 || unsolved != 4 {
		t.Errorf("%v s, %d unsolved", seconds, unsolved)
	}
}
