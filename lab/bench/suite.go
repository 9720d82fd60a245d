package bench

import (
	"context"
	"fmt"
	"os/exec"
	"slices"
	"time"

	"hinge/symbolic/familytest"
	"hinge/symbolic/infer"
	"hinge/train/machine"
)

// Plan says which cells to measure.
type Plan struct {
	// Models are names of families, CoraName, and CasePrefix with the name of a
	// case.
	Models []string
	// Sizes are numbers of ground terms; models of one size are measured once.
	Sizes   []int
	Methods []string
	Seed    uint64
	Gap     float64
}

// Cells lists the cells: models in order, for each the methods, for each the
// sizes from small to large, so that a method that has got too slow is known.
func (p Plan) Cells() []Cell {
	sizes := slices.Sorted(slices.Values(p.Sizes))
	var cells []Cell
	for _, model := range p.Models {
		of := []int{0}
		if _, err := familytest.Find(model); err == nil {
			of = sizes
		}
		for _, method := range p.Methods {
			for _, size := range of {
				cells = append(cells, Cell{Model: model, Size: size, Method: method, Seed: p.Seed, Gap: p.Gap})
			}
		}
	}
	return cells
}

// Suite measures cells and keeps them in a log.
type Suite struct {
	// Command makes the measuring process for a task, see Self and Serve.
	Command func(ctx context.Context, task string) *exec.Cmd
	Sources Sources
	Log     *Log
	// Limit bounds each solve of the exact methods, Baseline that of the others,
	// which get slow at small sizes already; Memory bounds each process in
	// bytes. Repeat is the time for repetitions of each kind of solve.
	Limit, Baseline, Repeat time.Duration
	Memory                  int64
	// Profiles, if not empty, is a folder for processor profiles.
	Profiles string
	// Version is the commit, Build tells programs apart: rows of other builds
	// are measured again.
	Version, Build string
	// Progress, if not nil, is told about each cell: its row, or why it is left
	// out.
	Progress func(done, of int, row Row, note string)
}

// limit is the time limit of a solve with a method.
func (s *Suite) limit(method string) time.Duration {
	if infer.Can(method).Exact {
		return s.Limit
	}
	return s.Baseline
}

// Run measures the cells that the log does not have. After a cell that has hit
// a limit, larger ones of the same model and method are left out.
func (s *Suite) Run(ctx context.Context, cells []Cell) error {
	type line struct{ model, method string }
	over := map[line]bool{}
	here := machine.This()
	for i, c := range cells {
		tell := func(r Row, note string) {
			if s.Progress != nil {
				s.Progress(i+1, len(cells), r, note)
			}
		}
		key := line{c.Model, c.Method}
		if over[key] {
			tell(Row{Cell: c}, "left out: a smaller one hit a limit")
			continue
		}
		limit := s.limit(c.Method)
		row, known := s.Log.find(c, s.Build, limit.Seconds())
		if known {
			tell(row, "known")
		} else {
			var err error
			row, err = s.measure(ctx, &Task{Cell: c, Sources: s.Sources, Limit: limit, Memory: s.Memory,
				Repeat: s.Repeat, Profiles: s.Profiles})
			if err != nil {
				return fmt.Errorf("bench: %s: %w", c, err)
			}
			row.Date, row.Build, row.Version, row.Machine = time.Now().UTC().Truncate(time.Second), s.Build, s.Version, here
			if err := s.Log.Append(row); err != nil {
				return err
			}
			tell(row, "")
		}
		over[key] = row.Limited()
	}
	return nil
}
