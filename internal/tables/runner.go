package tables

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"hinge/internal/jsonl"
)

// Record is a run that was made.
type Record struct {
	Table    string `json:"table"`
	Row      string `json:"row"`
	Column   string `json:"column"`
	Split    int    `json:"split"`
	Settings string `json:"settings"` // digest of the cell's settings
	Outcome
	Version string    `json:"version"`
	Machine string    `json:"machine"`
	Date    time.Time `json:"date"`
}

// Runner makes the missing runs of a table.
type Runner struct {
	// Records is the file of records, by JSON lines; it is made.
	Records string
	// Shard of Shards makes every Shards-th run from Shard on (both from 0);
	// Shards 0 or 1 makes all.
	Shard, Shards int
	// Version and Machine go into the records.
	Version, Machine string
	// Progress is told of each run after it ended; done counts runs, those
	// found in the records included. It may be nil.
	Progress func(done, of int, r Record, found bool, err error)
}

// run is one entry of the plan.
type run struct {
	cell  *Cell
	split int
}

// plan lists the runs split by split, so that a table that is not finished
// compares its cells on the same splits.
func (t *Table) plan() []run {
	last := 0
	for i := range t.Cells {
		for _, s := range t.Cells[i].Splits {
			last = max(last, s)
		}
	}
	var list []run
	for s := 0; s <= last; s++ {
		for i := range t.Cells {
			for _, has := range t.Cells[i].Splits {
				if has == s {
					list = append(list, run{&t.Cells[i], s})
				}
			}
		}
	}
	return list
}

// Run makes the runs of the table that have no record yet. It returns ctx's
// error when that ended first, else the first failure of a run and how many
// there were.
func (r *Runner) Run(ctx context.Context, t *Table) error {
	records, err := jsonl.Read[Record](r.Records)
	if err != nil {
		return err
	}
	plan := t.plan()
	var first error
	failed := 0
	for i, p := range plan {
		if r.Shards > 1 && i%r.Shards != r.Shard {
			continue
		}
		if old, ok := find(records, t, p.cell, p.split); ok {
			r.progress(i+1, len(plan), old, true, nil)
			continue
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		rec := Record{
			Table: t.Label(), Row: p.cell.Row, Column: p.cell.Column, Split: p.split,
			Settings: digest(p.cell.Settings), Version: r.Version, Machine: r.Machine, Date: time.Now().UTC().Truncate(time.Second),
		}
		rec.Outcome, err = p.cell.Run(ctx, p.split)
		if err == nil {
			err = jsonl.Append(r.Records, rec)
		} else if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			if failed++; first == nil {
				first = fmt.Errorf("%s, %s, %s, split %d: %w", t.Label(), p.cell.Row, p.cell.Column, p.split, err)
			}
		}
		r.progress(i+1, len(plan), rec, false, err)
	}
	if failed > 1 {
		return fmt.Errorf("%d runs failed, the first: %w", failed, first)
	}
	return first
}

func (r *Runner) progress(done, of int, rec Record, found bool, err error) {
	if r.Progress != nil {
		r.Progress(done, of, rec, found, err)
	}
}

// find returns the newest record of a run.
func find(records []Record, t *Table, c *Cell, split int) (Record, bool) {
	want := digest(c.Settings)
	for i := len(records) - 1; i >= 0; i-- {
		r := &records[i]
		if r.Table == t.Label() && r.Row == c.Row && r.Column == c.Column && r.Split == split && r.Settings == want {
			return *r, true
		}
	}
	return Record{}, false
}

// digest shortens settings to what a record needs to tell them apart.
func digest(settings string) string {
	sum := sha256.Sum256([]byte(settings))
	return hex.EncodeToString(sum[:8])
}
