package bench

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
)

// Summary writes what fits a screen: for each model and size the seconds of a solve
// from zero with one method, its iterations, the share of it that a warm solve took,
// and how many times as long it took as the last time it was measured on the same
// machine by another program; then how many times as long as the fastest method it took. All seconds are those of all processors together.
func (l *Log) Summary(w io.Writer, method string) error {
	var rows []Row
	for _, r := range l.Latest() {
		if r.Method == method {
			rows = append(rows, r)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	sizes := unique(rows, func(r Row) int { return r.Size })
	slices.Sort(sizes)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "%s: seconds, iterations, warm/cold, ×last run\n", method)
	for _, s := range sizes {
		title := "one size"
		if s > 0 {
			title = magnitude(s)
		}
		fmt.Fprintf(t, "\t%s", title)
	}
	fmt.Fprintf(t, "\t\n")
	for _, model := range unique(rows, func(r Row) string { return r.Model }) {
		fmt.Fprint(t, model)
		for _, s := range sizes {
			at := slices.IndexFunc(rows, func(r Row) bool { return r.Model == model && r.Size == s })
			text := ""
			if at >= 0 {
				text = l.brief(&rows[at])
			}
			fmt.Fprintf(t, "\t%s", text)
		}
		fmt.Fprintf(t, "\t\n")
	}
	if err := t.Flush(); err != nil {
		return err
	}
	l.regret(w, rows, "from zero", func(r *Row) float64 {
		if r.Status != "solved" {
			return 0
		}
		return r.cold()
	})
	l.regret(w, rows, "warm", func(r *Row) float64 {
		if r.WarmStatus != "solved" {
			return 0
		}
		return r.Warm.CPU
	})
	return nil
}

// muchRegret is the regret from which a row counts as one with much of it.
const muchRegret = 1.2

// regret writes how many times as long as the fastest method rows took, at least 1, where
// another method was measured on the same machine. seconds are 0 where a row is not solved.
func (l *Log) regret(w io.Writer, rows []Row, what string, seconds func(*Row) float64) {
	latest := l.Latest()
	logs, n, much, most, worst := 0.0, 0, 0, 0.0, ""
	for _, r := range rows {
		own, others := seconds(&r), false
		best := own
		for _, o := range latest {
			other := o.Method != r.Method
			if o.Method = r.Method; o.Cell == r.Cell && o.Machine == r.Machine && seconds(&o) > 0 {
				best, others = min(best, seconds(&o)), others || other
			}
		}
		if own == 0 || !others {
			continue
		}
		n++
		logs += math.Log(own / best)
		if own/best > muchRegret {
			much++
		}
		if own/best > most {
			most, worst = own/best, r.Cell.String()
		}
	}
	if n > 0 {
		fmt.Fprintf(w, "regret %s, × the fastest method: mean %.2f, most %.2f (%s), %d of %d above %.1f\n", what, math.Exp(logs/float64(n)), most, worst, much, n, muchRegret)
	}
}

// brief is a row in one cell of the summary.
func (l *Log) brief(r *Row) string {
	if r.Status != "solved" {
		return strings.TrimSpace(seconds(r.First.CPU) + " " + r.Status)
	}
	warm, ratio := "-", "-"
	if r.Warm.CPU > 0 && r.Changed.CPU > 0 {
		warm = fmt.Sprintf("%.2f", r.Warm.CPU/r.Changed.CPU)
	}
	if last, ok := l.before(r); ok {
		ratio = fmt.Sprintf("×%.2f", r.cold()/last.cold())
	}
	return fmt.Sprintf("%s %d %s %s", seconds(r.cold()), r.Iterations, warm, ratio)
}

// Median is the middle of some numbers, the mean of the two in the middle of an even number
// of them, 0 of none.
func Median(x []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(x))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

// cold is the shortest solve from zero.
func (r *Row) cold() float64 { return cmp.Or(r.Again.CPU, r.First.CPU) }

// before returns the last row of a cell that another program has measured on the same
// machine before r.
func (l *Log) before(r *Row) (Row, bool) {
	for _, o := range slices.Backward(l.rows) {
		if o.Cell == r.Cell && o.Machine == r.Machine && o.Build != r.Build && !o.Date.After(r.Date) && o.cold() > 0 {
			return o, true
		}
	}
	return Row{}, false
}
