package citation

import (
	"testing"

	"hinge/internal/tables"
	task "hinge/train/citation"
)

// TestSelection: the settings in use are among those that were compared.
func TestSelection(t *testing.T) {
	for _, quick := range []bool{false, true} {
		table, err := Selection(tables.Options{Quick: quick})
		if err != nil {
			t.Fatal(err)
		}
		want := 2 * (1 + len(choices()) + len(programs))
		if quick {
			want = 2 * (1 + 2 + 1)
		}
		if len(table.Cells) != want {
			t.Errorf("%d cells, want %d", len(table.Cells), want)
		}
		seen := map[string]bool{}
		for _, c := range table.Cells {
			if key := c.Settings + c.Column; seen[key] {
				t.Errorf("%s, %s has the settings of another cell", c.Row, c.Column)
			} else {
				seen[key] = true
			}
		}
	}
	used := map[float64]bool{}
	for _, c := range choices() {
		used[c.temperature] = true
	}
	for _, col := range columns {
		if cfg := task.Defaults(col.task, "energy", "best"); !used[cfg.Neural.TestTemperature] {
			t.Errorf("%s: temperature %v was not compared", col.task, cfg.Neural.TestTemperature)
		}
	}
}

// TestTryOnDemo: trying settings keeps the model of a split, and takes another for
// another split.
func TestTryOnDemo(t *testing.T) {
	cfg := task.Defaults("citation-demo", "energy", "best")
	task.OptionsOf(&cfg).PretrainEpochs, task.OptionsOf(&cfg).Hidden = 10, []int{8}
	p := new(pretrained)
	alone, err := p.try(cfg, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	model := p.model
	follow, err := p.try(cfg, "", &choice{temperature: 0.5})
	if err != nil || follow.Value != alone.Value || p.model != model {
		t.Errorf("following the network: %+v, %v; alone %+v", follow, err, alone)
	}
	with, err := p.try(cfg, "", &choice{temperature: 0.5, link: 0.1, similar: 0.1})
	if err != nil || with.Value < 40 {
		t.Errorf("%+v, %v", with, err)
	}
	cfg.Split = 1
	if _, err := p.try(cfg, "", nil); err != nil || p.model == model {
		t.Errorf("split 1 has the model of split 0 (%v)", err)
	}
}
