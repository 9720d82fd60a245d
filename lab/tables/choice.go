package tables

import (
	"fmt"
	"slices"
)

// A Choice is among rows of a table: the one whose mean value is the largest is chosen,
// column by column, and set beside the published choice.
type Choice struct {
	Title string
	Rows  []string
	// Published is the row that was chosen in the paper, by column.
	Published map[string]string
}

// choices writes what was chosen. A column counts where all its rows have runs.
func (p *page) choices() {
	if len(p.t.Choices) == 0 {
		return
	}
	p.printf("## Chosen\n\nOf each column and search, the best row, the first of equals; the published choice; and how much less that gives here.\n\n")
	p.printf("| | | chosen | figure | published | less by |\n|---|---|---|---|---|---|\n")
	for _, column := range p.t.columns() {
		for i := range p.t.Choices {
			if c := &p.t.Choices[i]; p.t.cell(c.Rows[0], column) != nil {
				p.choice(c, column)
			}
		}
	}
	p.printf("\n")
}

func (p *page) choice(c *Choice, column string) {
	value := func(row string) (float64, bool) {
		values := p.values(p.t.cell(row, column), func(r *Record) (float64, bool) { return r.Value, true })
		return mean(values), len(values) > 0
	}
	best, done := "", 0
	for _, row := range c.Rows {
		v, ok := value(row)
		if !ok {
			continue
		}
		done++
		if b, _ := value(best); best == "" || v > b {
			best = row
		}
	}
	published := c.Published[column]
	if done < len(c.Rows) {
		p.printf("| %s | %s | %d of %d are run | | %s | |\n", column, c.Title, done, len(c.Rows), published)
		return
	}
	top, _ := value(best)
	less := none
	if slices.Contains(c.Rows, published) {
		v, _ := value(published)
		less = fmt.Sprintf("%.2f", top-v)
	}
	p.printf("| %s | %s | %s | %s | %s | %s |\n", column, c.Title, best, plain(top), published, less)
}
