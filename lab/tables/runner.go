package tables

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"hinge/data/jsonl"
	"hinge/lab/lines"
	"hinge/train/config"
)

// Record is a run that was made.
type Record struct {
	Table  string `json:"table"`
	Row    string `json:"row"`
	Column string `json:"column"`
	Split  int    `json:"split"`
	// Settings is the key of the cell's settings (config.IdentityOf), in records of earlier
	// versions a digest of their letters; Config is their text.
	Settings string `json:"settings"`
	Config   string `json:"config,omitempty"`
	Outcome
	// Version is the commit of the program, marked +changes if its source differs from
	// that; unknown where it is not known.
	Version string `json:"version"`
	Machine string `json:"machine"`
	Conditions
	Date time.Time `json:"date"`
}

// Conditions are what the seconds of a run depend on beside program and machine.
type Conditions struct {
	// Threads is the number that compute at once (GOMAXPROCS), Processors that of the
	// processors the process may use.
	Threads    int `json:"threads,omitempty"`
	Processors int `json:"processors,omitempty"`
	// Others is the share of the time of all processors of the machine, 0 to 1, that
	// others used during the run. It is nil where that is not known, as where a part of
	// the run's seconds passed in an earlier sitting.
	Others *float64 `json:"others,omitempty"`
}

// quietShare is the share of the processors' time below which others do not count.
const quietShare = 0.05

// Quiet reports whether the run is known to have had the machine to itself.
func (c *Conditions) Quiet() bool { return c.Others != nil && *c.Others < quietShare }

// timed reports whether the seconds of the run say what its threads can do.
func (c *Conditions) timed() bool { return c.Quiet() && c.Threads <= c.Processors }

// committed reports whether a commit holds the program that made the run.
func (r *Record) committed() bool {
	return r.Version != "unknown" && !strings.HasSuffix(r.Version, "+changes")
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
	// Watch begins to watch the machine before a run; what it returns tells the
	// conditions after it. It may be nil: then nothing is known of them.
	Watch func() func() Conditions
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
			Settings: config.IdentityOf(p.cell.Settings), Config: cmp.Or(p.cell.Config, p.cell.Settings),
			Version: r.Version, Machine: r.Machine, Date: time.Now().UTC().Truncate(time.Second),
		}
		rec.Outcome, rec.Conditions, err = r.watched(ctx, p)
		if err == nil {
			err = lines.Append(r.Records, rec)
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

// watched makes a run and tells under which conditions.
func (r *Runner) watched(ctx context.Context, p run) (out Outcome, c Conditions, err error) {
	stop := func() (c Conditions) { return c }
	if r.Watch != nil {
		stop = r.Watch()
	}
	began := time.Now()
	out, err = p.cell.Run(ctx, p.split)
	c = stop()
	// What clocks and rounding may differ in.
	const slack = 0.1
	if out.WallS > 1.01*time.Since(began).Seconds()+slack {
		c.Others = nil
	}
	return out, c, err
}

// Missing counts the runs of the table that Run would make.
func (r *Runner) Missing(t *Table) (int, error) {
	records, err := jsonl.Read[Record](r.Records)
	n := 0
	for i, p := range t.plan() {
		if r.Shards > 1 && i%r.Shards != r.Shard {
			continue
		}
		if _, ok := find(records, t, p.cell, p.split); !ok {
			n++
		}
	}
	return n, err
}

func (r *Runner) progress(done, of int, rec Record, found bool, err error) {
	if r.Progress != nil {
		r.Progress(done, of, rec, found, err)
	}
}

// find returns the newest record of a run.
func find(records []Record, t *Table, c *Cell, split int) (Record, bool) {
	want := config.IdentityOf(c.Settings)
	for i := len(records) - 1; i >= 0; i-- {
		r := &records[i]
		if r.Table == t.Label() && r.Row == c.Row && r.Column == c.Column && r.Split == split && r.has(c, want) {
			return *r, true
		}
	}
	return Record{}, false
}

// Orphans lists the records of a file that no cell of the tables of its page shows:
// runs of other settings than those of today.
func Orphans(tables []*Table, file string) ([]Record, error) {
	records, err := jsonl.Read[Record](file)
	if err != nil {
		return nil, err
	}
	shown := func(r *Record) bool {
		for _, t := range tables {
			if c := t.cell(r.Row, r.Column); c != nil && r.Table == t.Label() && r.has(c, config.IdentityOf(c.Settings)) && slices.Contains(c.Splits, r.Split) {
				return true
			}
		}
		return false
	}
	return slices.DeleteFunc(records, func(r Record) bool { return shown(&r) }), nil
}

// has reports whether a record is of a cell's settings, whose key is given: by its own key,
// or one that an earlier version wrote as a digest, where its text has that key or is to
// the letter that of the cell.
func (r *Record) has(c *Cell, key string) bool {
	if r.Settings == key {
		return true
	}
	digested := r.Settings == digest(r.Config)
	return r.Settings == digest(c.Settings) || digested && config.IdentityOf(r.Config) == key
}

// digest is what records of earlier versions tell settings apart by.
func digest(settings string) string {
	sum := sha256.Sum256([]byte(settings))
	return hex.EncodeToString(sum[:8])
}
