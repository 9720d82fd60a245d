package tables

import (
	"fmt"
	"math"
)

// compare writes the comparisons.
func (p *page) compare() {
	for _, c := range p.t.Comparisons {
		p.printf("## %s\n\n", c.Title)
		if c.Text != "" {
			p.printf("%s\n\n", c.Text)
		}
		rows, columns := c.Rows, p.t.columns()
		if c.Columns != nil {
			rows, columns = p.t.rows(), c.Columns
		}
		marked := false
		p.grid(rows, columns, func(cell *Cell) string {
			base := p.t.cell(c.Base, cell.Column)
			if c.Columns != nil {
				base = p.t.cell(cell.Row, c.Base)
			}
			if base == nil {
				return ""
			}
			marked = marked || p.apart(cell, base) != ""
			if c.Ratio {
				return p.ratio(cell, base)
			}
			return p.difference(cell, base)
		})
		if marked {
			p.printf("%s The two sides were run by programs whose code differs; part of the difference may be the programs', and nothing is claimed from it.\n\n", unequal)
		}
	}
}

// pairs calls f with the runs of two cells that were made on the same split.
func (p *page) pairs(c, base *Cell, f func(r, b *Record)) {
	for i := range p.runs[c] {
		for j := range p.runs[base] {
			if r, b := &p.runs[c][i], &p.runs[base][j]; r.Split == b.Split {
				f(r, b)
			}
		}
	}
}

// difference is the mean of value less base value ± its standard error.
func (p *page) difference(c, base *Cell) string {
	values := p.differences(c, base)
	if len(values) == 0 {
		return none
	}
	return paired(values) + p.apart(c, base)
}

func (p *page) differences(c, base *Cell) (values []float64) {
	p.pairs(c, base, func(r, b *Record) { values = append(values, r.Value-b.Value) })
	return values
}

// apart is the mark of a comparison in which a pair of runs was made by two programs.
func (p *page) apart(c, base *Cell) (mark string) {
	p.pairs(c, base, func(r, b *Record) {
		if !p.codes.same(p.t, r, b) {
			mark = unequal
		}
	})
	return mark
}

// ratio is the geometric mean of value over base value. Where a value is a lower
// bound, so is the ratio; where a base value is one, nothing is known.
func (p *page) ratio(c, base *Cell) string {
	logs := p.ratios(c, base)
	if len(logs) == 0 {
		return none
	}
	return fmt.Sprintf("%s%.3g%s%s", p.above(c), math.Exp(mean(logs)), number(len(logs)), p.apart(c, base))
}

// ratios are the logarithms of value over base value, where that is known.
func (p *page) ratios(c, base *Cell) (logs []float64) {
	p.pairs(c, base, func(r, b *Record) {
		if r.Value > 0 && b.Value > 0 && !b.Limited {
			logs = append(logs, math.Log(r.Value/b.Value))
		}
	})
	return logs
}
