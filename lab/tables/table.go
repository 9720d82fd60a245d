package tables

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"hinge/train/config"
)

// A Table is a grid of experiments.
type Table struct {
	// Number is the paper's, or 0 for a table of ours with a Name. With both, Name
	// tells what of the paper's table it is.
	Number int
	Name   string
	Title  string
	// Unit says what the figures are, such as "accuracy (%)".
	Unit string
	// Text are Markdown paragraphs on what is measured and where it departs
	// from the paper.
	Text []string
	// Code is the folder of the package that a run goes through: with all that it
	// imports, it decides whether two commits are one program to the runs of the table.
	// Where it is empty every commit is a program of its own.
	Code string
	// Missed is the further figure that counts what a run did not solve to its
	// tolerance, if there is one: a cell where that is not nothing says so.
	Missed string
	// Cells in reading order; rows and columns appear in the order of their
	// first cell.
	Cells []Cell
	// Paired names the further figures that are differences between two things
	// measured in one run: they are shown with the standard error of their mean.
	Paired []string
	// Comparisons are printed behind the figures.
	Comparisons []Comparison
	// Choices are printed behind the comparisons.
	Choices []Choice
	// Shown names the further figures that the page has a table of, beside those that are
	// Paired or published. The others are in the records alone.
	Shown []string
	// Brief leaves out the seconds of runs.
	Brief bool
}

// A Comparison sets rows beside one of the same table, or columns beside one, run
// by run on the same splits.
type Comparison struct {
	// Title is its heading, Text a Markdown paragraph below it.
	Title, Text string
	// Base is the row that Rows are compared with, column by column, or, if Columns
	// are given instead, the column that they are compared with, row by row.
	Base          string
	Rows, Columns []string
	// Ratio asks for the geometric mean of value over base value, else it is the
	// mean of value less base value with its standard error.
	Ratio bool
}

// A Cell is one experiment of a table.
type Cell struct {
	Row, Column string
	// Paper is the published figure; nil if there is none.
	Paper *Figure
	// PaperMore are published values of further figures, by name.
	PaperMore map[string]Figure
	// Splits are the data splits it is run on.
	Splits []int
	// Settings is a text that, with the split, decides the outcome: an encoded
	// configuration or its hash.
	Settings string
	// Config is the settings in full, for the records, where Settings is a hash.
	Config string
	// Run makes one run. It should return soon after ctx ends, with its error.
	Run func(ctx context.Context, split int) (Outcome, error)
}

// Configured is the cell with runs of a configuration, whose split it overwrites, and with its
// settings: the encoded configuration between before and after, which are what else decides the
// outcome.
func (c Cell) Configured(cfg config.Config, before, after string, run func(context.Context, config.Config) (Outcome, error)) (Cell, error) {
	err := cfg.Validate()
	var settings []byte
	if err == nil {
		settings, err = cfg.Encode()
	}
	if err != nil {
		return Cell{}, fmt.Errorf("%s, %s: %w", c.Row, c.Column, err)
	}
	c.Settings = before + string(settings) + after
	c.Run = func(ctx context.Context, split int) (Outcome, error) {
		cfg := cfg
		cfg.Split = split
		return run(ctx, cfg)
	}
	return c, nil
}

// Add appends a cell, unless making it failed: then it returns that error.
func (t *Table) Add(c Cell, err error) error {
	if err == nil {
		t.Cells = append(t.Cells, c)
	}
	return err
}

// Figure is a published mean and standard deviation in the table's unit; SD is
// 0 where none was given.
type Figure struct{ Mean, SD float64 }

// Outcome is what a run found.
type Outcome struct {
	// Value is the figure of the table, in its unit. Limited reports whether the run
	// was cut off at a limit, so that the true figure is larger.
	Value   float64 `json:"value"`
	Limited bool    `json:"limited,omitempty"`
	// WallS is the whole run's time in seconds, SolverS the part spent in
	// inference and NeuralS that in networks, where they can be told apart.
	WallS   float64 `json:"wall_s"`
	SolverS float64 `json:"solver_s,omitempty"`
	NeuralS float64 `json:"neural_s,omitempty"`
	// More are further figures by name; they get a table of their own.
	More map[string]float64 `json:"more,omitempty"`
}

// rows and columns are the labels in the order of the cells.
func (t *Table) rows() []string    { return labels(t.Cells, func(c *Cell) string { return c.Row }) }
func (t *Table) columns() []string { return labels(t.Cells, func(c *Cell) string { return c.Column }) }

func labels(cells []Cell, of func(*Cell) string) []string {
	var list []string
	for i := range cells {
		list = append(list, of(&cells[i]))
	}
	return unique(list)
}

// unique keeps the first of equal texts.
func unique(list []string) (kept []string) {
	for _, l := range list {
		if !slices.Contains(kept, l) {
			kept = append(kept, l)
		}
	}
	return kept
}

// cell finds a cell by its labels.
func (t *Table) cell(row, column string) *Cell {
	for i := range t.Cells {
		if c := &t.Cells[i]; c.Row == row && c.Column == column {
			return c
		}
	}
	return nil
}

// Label is how the table is called: "Table 5", its name, or both.
func (t *Table) Label() string {
	switch {
	case t.Number == 0:
		return t.Name
	case t.Name == "":
		return fmt.Sprintf("Table %d", t.Number)
	}
	return fmt.Sprintf("Table %d, %s", t.Number, t.Name)
}

// Select returns the tables of one page with the cells whose row and column contain
// one of the given texts, ignoring case and blanks, and the given splits; an empty
// list keeps all. A table without such cells is left out. A text that fits no label of
// any table is an error that lists the labels.
func Select(page []*Table, rows, columns []string, splits []int) ([]*Table, error) {
	var allRows, allColumns []string
	for _, t := range page {
		allRows, allColumns = append(allRows, t.rows()...), append(allColumns, t.columns()...)
	}
	if err := known("row", rows, allRows); err != nil {
		return nil, fmt.Errorf("%s: %w", page[0].Label(), err)
	}
	if err := known("column", columns, allColumns); err != nil {
		return nil, fmt.Errorf("%s: %w", page[0].Label(), err)
	}
	var parts []*Table
	for _, t := range page {
		part := *t
		if part.Cells = t.selected(rows, columns, splits); len(part.Cells) > 0 {
			parts = append(parts, &part)
		}
	}
	if len(parts) == 0 {
		return nil, fmt.Errorf("%s: nothing fits the selection", page[0].Label())
	}
	return parts, nil
}

func (t *Table) selected(rows, columns []string, splits []int) (kept []Cell) {
	for _, c := range t.Cells {
		if !fits(c.Row, rows) || !fits(c.Column, columns) {
			continue
		}
		if len(splits) > 0 {
			c.Splits = slices.DeleteFunc(slices.Clone(c.Splits), func(s int) bool { return !slices.Contains(splits, s) })
		}
		if len(c.Splits) > 0 {
			kept = append(kept, c)
		}
	}
	return kept
}

func known(kind string, wanted, labels []string) error {
	for _, w := range wanted {
		if !slices.ContainsFunc(labels, func(l string) bool { return fits(l, []string{w}) }) {
			return fmt.Errorf("no %s fits %q; there are %s", kind, w, strings.Join(unique(labels), ", "))
		}
	}
	return nil
}

func fits(label string, wanted []string) bool {
	plain := func(s string) string { return strings.ToLower(strings.ReplaceAll(s, " ", "")) }
	return len(wanted) == 0 || slices.ContainsFunc(wanted, func(w string) bool {
		return strings.Contains(plain(label), plain(w))
	})
}
