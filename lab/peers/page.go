package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"hinge/lab/bench"
)

// page is what is known of all questions.
type page struct {
	date  time.Time
	quick bool
	parts []part
}

// part is a question with its records.
type part struct {
	question
	records []record
}

// text is the page as Markdown.
func (p *page) text() string {
	var out strings.Builder
	out.WriteString(`# Beside today's peers

` + "Written by `make peers` (`go run ./lab/peers`) from the records in [peers/](peers); do not edit." + `

Each row is Hinge and other programs that compute the same in turn on one machine, with as many threads. Seconds are
medians of the alternations, without the warm-up; a ratio is Hinge's median to that of the fastest peer whose answer
counts; below 1 Hinge is faster. CPU seconds and peak memory are the system's counts; *by CPU* is the ratio of the former.

`)
	p.origin(&out)
	out.WriteString("\n| question | cases | Hinge / fastest peer: median | least | largest | peer ahead in | what is unequal |\n| --- | ---: | ---: | ---: | ---: | ---: | --- |\n")
	for _, q := range p.parts {
		q.summary(&out)
	}
	for _, q := range p.parts {
		if len(q.records) > 0 {
			q.write(&out)
		}
	}
	return out.String()
}

// origin says where and when the records were made.
func (p *page) origin(out *strings.Builder) {
	type place struct{ machine, path string }
	var places []place
	var versions, pins []string
	var first, last time.Time
	for _, q := range p.parts {
		for _, r := range q.records {
			if at := (place{r.Machine.String(), r.Path}); !slices.Contains(places, at) {
				places = append(places, at)
			}
			if !slices.Contains(versions, r.Version) {
				versions = append(versions, r.Version)
			}
			if first.IsZero() || r.Date.Before(first) {
				first = r.Date
			}
			if r.Date.After(last) {
				last = r.Date
			}
			for _, s := range r.Sides {
				for v := range strings.SplitSeq(s.Version, ", ") {
					if v != "" && !slices.Contains(pins, v) {
						pins = append(pins, v)
					}
				}
			}
		}
	}
	if len(places) == 0 {
		out.WriteString("Nothing has been measured.\n")
		return
	}
	for _, m := range places {
		fmt.Fprintf(out, "- Machine: %s; kernels on the path %s\n", m.machine, m.path)
	}
	slices.SortFunc(pins, func(a, b string) int { return cmp.Compare(strings.ToLower(a), strings.ToLower(b)) })
	until := "2006-01-02 15:04 MST"
	if first.Format(time.DateOnly) == last.Format(time.DateOnly) {
		until = "15:04 MST"
	}
	fmt.Fprintf(out, "- Date: %s to %s; Hinge at %s\n- Programs: %s\n", first.Format("2006-01-02 15:04"), last.Format(until), strings.Join(versions, ", "), strings.Join(pins, ", "))
	all, ahead, loads := 0, 0, []float64{}
	for _, q := range p.parts {
		for _, r := range q.records {
			if all++; r.Ahead {
				ahead++
			}
			if v, err := strconv.ParseFloat(r.Load, 64); err == nil {
				loads = append(loads, v)
			}
		}
	}
	if len(loads) > 0 {
		fmt.Fprintf(out, "- Load averages of the minute before a case: %g to %g\n", slices.Min(loads), slices.Max(loads))
	}
	if ahead > 0 {
		fmt.Fprintf(out, "- In %d of %d cases the programs had the priority of real time (`chrt -r 1 make peers`), over others\n", ahead, all)
	}
	if p.quick {
		out.WriteString("- A trial with the smallest cases.\n")
	}
}

// best is the fastest peer whose answer counts, nil without one.
func (r *record) best() *result {
	var found *result
	for i := range r.Sides {
		if s := &r.Sides[i]; !s.Own && s.counts() && (found == nil || bench.Median(s.Wall) < bench.Median(found.Wall)) {
			found = s
		}
	}
	return found
}

// ratio is Hinge's median time to a peer's, NaN where one has none.
func (r *record) ratio(s *result) float64 {
	ours := &r.Sides[0]
	if s == nil || !ours.counts() || len(s.Wall) == 0 {
		return math.NaN()
	}
	return bench.Median(ours.Wall) / bench.Median(s.Wall)
}

func (q *part) summary(out *strings.Builder) {
	var ratios []float64
	ahead := 0
	for i := range q.records {
		if v := q.records[i].ratio(q.records[i].best()); !math.IsNaN(v) {
			ratios = append(ratios, v)
			if v > 1 {
				ahead++
			}
		}
	}
	fmt.Fprintf(out, "| [%s](#%s) | %d | ", q.title, anchor(q.title), len(q.records))
	if len(ratios) == 0 {
		fmt.Fprintf(out, "not measured | | | | %s |\n", q.unequal)
		return
	}
	fmt.Fprintf(out, "%s | %s | %s | %d | %s |\n", short(bench.Median(ratios)), short(slices.Min(ratios)), short(slices.Max(ratios)), ahead, q.unequal)
}

// anchor is what a heading is linked by.
func anchor(title string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			return r
		}
		return -1
	}, strings.ToLower(title))
}

func (q *part) write(out *strings.Builder) {
	fmt.Fprintf(out, "\n## %s\n\n%s\n\nUnequal: %s\n", q.title, strings.TrimSpace(q.about), q.unequal)
	if q.behind != "" {
		fmt.Fprintf(out, "\n%s\n", q.behind)
	}
	named := q.figures()
	out.WriteString("\n| case | threads | program | time | least–largest | CPU s | memory, MB | Hinge / it | by CPU | ")
	for _, n := range named {
		out.WriteString(n + " | ")
	}
	out.WriteString("|\n| --- | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | " + strings.Repeat("---: | ", len(named)) + "--- |\n")
	for i := range q.records {
		r := &q.records[i]
		best := r.best()
		for k := 0; k < len(r.Sides); k++ {
			s := &r.Sides[k]
			name, threads, program := "", "", s.Name
			if k == 0 {
				name, threads = r.Group+", "+r.Case, fmt.Sprint(r.Threads)
			}
			for ; s.Failed != "" && k+1 < len(r.Sides) && r.Sides[k+1].Failed == s.Failed; k++ {
				program += ", " + r.Sides[k+1].Name
			}
			var row strings.Builder
			fmt.Fprintf(&row, "| %s | %s | %s | ", name, threads, program)
			if len(s.Wall) == 0 {
				row.WriteString("– |  |  |  |  |  | ")
			} else {
				ratio, byCPU := short(r.ratio(s)), short(bench.Median(r.Sides[0].CPU)/bench.Median(s.CPU))
				switch {
				case s.Own:
					ratio, byCPU = "", ""
				case s == best && ratio != "":
					ratio = "**" + ratio + "**"
				}
				fmt.Fprintf(&row, "%s | %s | %s | %s | %s | %s | ", seconds(bench.Median(s.Wall)), span(slices.Min(s.Wall), slices.Max(s.Wall)),
					positive(bench.Median(s.CPU)), megabytes(s.Peak), ratio, byCPU)
			}
			for _, n := range named {
				text := ""
				if v, ok := s.Figures[n]; ok {
					text = fmt.Sprintf("%.3g", v)
				}
				row.WriteString(text + " | ")
			}
			note := s.Wrong
			if s.Failed != "" {
				note = "failed: " + s.Failed
			}
			fmt.Fprintf(&row, "%s |\n", strings.ReplaceAll(note, "|", "/"))
			out.WriteString(strings.ReplaceAll(row.String(), "|  ", "|"))
		}
	}
}

// figures are the names of the further figures that sides have, sorted.
func (q *part) figures() []string {
	var list []string
	for _, r := range q.records {
		for _, s := range r.Sides {
			for n := range s.Figures {
				if !slices.Contains(list, n) {
					list = append(list, n)
				}
			}
		}
	}
	slices.Sort(list)
	return list
}

// seconds is a time with a unit that suits it.
func seconds(s float64) string {
	switch {
	case s < 1e-3:
		return fmt.Sprintf("%.3g µs", s*1e6)
	case s < 1:
		return fmt.Sprintf("%.3g ms", s*1e3)
	case s < 100:
		return fmt.Sprintf("%.3g s", s)
	}
	return fmt.Sprintf("%.0f s", s)
}

// span is a range of seconds, with one unit where both have it.
func span(least, largest float64) string {
	from, to := seconds(least), seconds(largest)
	number, unit, _ := strings.Cut(from, " ")
	if strings.HasSuffix(to, " "+unit) {
		from = number
	}
	return from + "–" + to
}

// short is a ratio with two digits that count.
func short(v float64) string {
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return ""
	case v >= 10:
		return fmt.Sprintf("%.0f", v)
	case v >= .1:
		return fmt.Sprintf("%.2f", v)
	}
	return fmt.Sprintf("%.2g", v)
}

func positive(v float64) string {
	if v <= 0 {
		return ""
	}
	return fmt.Sprintf("%.3g", v)
}

func megabytes(bytes int64) string {
	if bytes <= 0 {
		return ""
	}
	return fmt.Sprintf("%.0f", float64(bytes)/1e6)
}
