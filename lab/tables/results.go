package tables

import (
	"fmt"
	"math"
	"slices"

	"hinge/data/jsonl"
)

// Results are the figures of one table, as its page shows them.
type Results struct{ p *page }

// Measured is a figure of a cell.
type Measured struct {
	Mean float64
	// Spread is the standard deviation over the runs, or of a difference the standard
	// error of its mean; 0 of one run and of a figure that was published without it.
	Spread float64
	// Runs is their number, 0 of a published figure.
	Runs int
	// Apart tells of a difference that its sides were run by programs whose code differs.
	Apart bool
}

// Open returns the results of a table from a file of records.
func Open(t *Table, records string) (*Results, error) {
	list, err := jsonl.Read[Record](records)
	if err != nil {
		return nil, err
	}
	all, err := readCodes(records)
	if err != nil {
		return nil, err
	}
	return &Results{newPage(t, list, all)}, nil
}

// Columns are those of the table in its order.
func (r *Results) Columns() []string { return r.p.t.columns() }

// Value is the figure of a cell.
func (r *Results) Value(row, column string) (Measured, error) {
	return r.of(row, column, func(r *Record) (float64, bool) { return r.Value, true }, false)
}

// More is a further figure of a cell.
func (r *Results) More(row, column, name string) (Measured, error) {
	return r.of(row, column, func(r *Record) (float64, bool) { return more(r, name) }, slices.Contains(r.p.t.Paired, name))
}

// Less is the difference of a cell to that of another row in its column, or of another
// column in its row, split by split.
func (r *Results) Less(row, base, column string) (Measured, error) {
	return r.compared(row, base, column, func(c, b *Cell) (Measured, error) {
		return measured(r.p.differences(c, b), true)
	})
}

// Times is the geometric mean of the ratios of a cell to another, which is named as by Less.
func (r *Results) Times(row, base, column string) (Measured, error) {
	return r.compared(row, base, column, func(c, b *Cell) (Measured, error) {
		m, err := measured(r.p.ratios(c, b), false)
		if r.p.above(c) != "" {
			return Measured{}, fmt.Errorf("%s, %s is a lower bound", row, column)
		}
		return Measured{Mean: math.Exp(m.Mean), Runs: m.Runs}, err
	})
}

func (r *Results) compared(row, base, column string, of func(c, b *Cell) (Measured, error)) (Measured, error) {
	c, err := r.cell(row, column)
	if err != nil {
		return Measured{}, err
	}
	b, err := r.cell(base, column)
	if other := r.p.t.cell(row, base); other != nil {
		b, err = other, nil
	}
	if err != nil {
		return Measured{}, err
	}
	m, err := of(c, b)
	m.Apart = r.p.apart(c, b) != ""
	return m, err
}

// Published is the published figure of a cell; with a name, of a further figure.
func (r *Results) Published(row, column, name string) (Measured, error) {
	c, err := r.cell(row, column)
	if err != nil {
		return Measured{}, err
	}
	f := c.Paper
	if more, ok := c.PaperMore[name]; ok {
		f = &more
	}
	if f == nil {
		return Measured{}, fmt.Errorf("%s, %s: nothing was published", row, column)
	}
	return Measured{Mean: f.Mean, Spread: f.SD}, nil
}

func (r *Results) cell(row, column string) (*Cell, error) {
	if c := r.p.t.cell(row, column); c != nil {
		return c, nil
	}
	return nil, fmt.Errorf("%s has no cell %q, %q", r.p.t.Label(), row, column)
}

func (r *Results) of(row, column string, of func(*Record) (float64, bool), paired bool) (Measured, error) {
	c, err := r.cell(row, column)
	if err != nil {
		return Measured{}, err
	}
	m, err := measured(r.p.values(c, of), paired)
	if err != nil {
		return m, fmt.Errorf("%s, %s: %w", row, column, err)
	}
	return m, nil
}

// measured is mean and spread of values, of paired ones the standard error.
func measured(values []float64, paired bool) (Measured, error) {
	n := len(values)
	if n == 0 {
		return Measured{}, fmt.Errorf("there is no record")
	}
	m := Measured{Mean: mean(values), Runs: n}
	if n > 1 {
		m.Spread = deviation(values)
	}
	if paired {
		m.Spread /= math.Sqrt(float64(n))
	}
	return m, nil
}
