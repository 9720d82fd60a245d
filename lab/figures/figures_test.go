// Package figures compares the figures of all pages with the records of the benchmarks; it has
// tests alone.
package figures

import (
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	bench "hinge/lab/command"
	"hinge/lab/tables"
)

// Figures of a page that come from records are compared with these. A comment on the lines
// right before a paragraph or a table names the records of its figures, in their order:
//
//	<!-- records table6, our recipe, fresh data:
//	NeuPSL, Energy / 150-Add2
//	NeuPSL, Energy / * / less DeepProbLog
//	quoted lab/benchmarks/peers.md / [MAP programs](#map-programs) | 18 | 0.34
//	-->
//
// What ends in a colon names the records that follow: a page of benchmarks and,
// where that has several tables, behind a comma the name of one. Any other line, or part of
// one up to a semicolon, is a row and a column of it, * for all columns; a row may be `largest of A | B`, the one with the largest
// figure. A third part says what else it is than the cell's mean ± spread: `less ROW`, the
// difference in pairs, `times ROW`, the mean ratio (of both, ROW may be a column), `of NAME`, a
// further figure, `published`, with a name or without, or `and published`, both.
// A figure that is `quoted` is what a piece of the file's text ends in: of pages without
// records, and of what others published.
//
// The figure may be rounded, and leave its spread and number of runs out; but of one run it
// says so, by (1) or in words.
//
// The comments of README.md, which many read as it is, are in README.md.records beside this test:
// the lines of each below the beginning of the line that it belongs before.

// checkedWhole are the pages of which every figure has such a mark, with what is no
// figure of ours and why.
var checkedWhole = map[string][]string{
	"README.md":           {"Go 1.26", "PyTorch 2.15", "onnxruntime 1.31"}, // releases
	"lab/docs/RESULTS.md": {"PyTorch 2.15", "5 % of the labels", "99 % that was the goal"},
}

// minimum is how many figures of a page are compared at least: fewer say that marks are
// no longer found. Figures of our own recipes are in RESULTS.md alone, and of the paper's in
// REPRODUCTION.md.
var minimum = map[string]int{"README.md": 12, "lab/docs/RESULTS.md": 95, "lab/docs/REPRODUCTION.md": 76}

// TestFigures: the figures of the pages are those of the records.
func TestFigures(t *testing.T) {
	compared := map[string]int{}
	for _, page := range pages(t) {
		exempt, whole := checkedWhole[page]
		text := withMarks(t, page, read(t, page))
		for _, phrase := range exempt {
			assert.Contains(t, text, phrase, page)
			text = strings.ReplaceAll(text, phrase, "")
		}
		n, wrong := checkFigures(text, whole, results)
		for _, w := range wrong {
			t.Errorf("%s:%s", page, w)
		}
		compared[page] = n
	}
	for page, least := range minimum {
		assert.GreaterOrEqual(t, compared[page], least, page)
	}
}

const root = "../.."

// pages are those for people, by their path from the root.
func pages(t *testing.T) (all []string) {
	t.Helper()
	for _, pattern := range []string{"*.md", "docs/*.md", "checkpoints/*.md", "examples/*.md", "examples/*/*.md", "lab/*.md", "lab/docs/*.md", "lab/benchmarks/README.md"} {
		found, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		require.NoError(t, err)
		for _, page := range found {
			name, err := filepath.Rel(root, page)
			require.NoError(t, err)
			all = append(all, filepath.ToSlash(name))
		}
	}
	return all
}

// read is the text of a page.
func read(t *testing.T, page string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(page)))
	require.NoError(t, err)
	return string(text)
}

// withMarks puts the marks that a file beside this test holds for a page into its text.
func withMarks(t *testing.T, page, text string) string {
	t.Helper()
	marks, err := os.ReadFile(strings.ReplaceAll(page, "/", "-") + ".records")
	if err != nil {
		require.ErrorIs(t, err, fs.ErrNotExist)
		return text
	}
	for mark := range strings.SplitSeq(strings.TrimSpace(string(marks)), "\n\n") {
		first, lines, _ := strings.Cut(mark, "\n")
		line, ok := strings.CutPrefix(first, "Before ")
		require.True(t, ok, "%s: %s", page, first)
		before, after, found := strings.Cut(text, "\n"+line)
		require.True(t, found, "%s has no line that begins with %q", page, line)
		text = before + "\n<!-- records " + lines + " -->\n" + line + after
	}
	return text
}

// results finds a table by what stands before a colon: PAGE or PAGE, NAME.
func results(name string) (*tables.Results, error) {
	file, part, named := strings.Cut(name, ", ")
	records := filepath.Join("..", "benchmarks", filepath.FromSlash(file)+".jsonl")
	page, err := bench.Page(file)
	if err != nil {
		return nil, err
	}
	for _, t := range page {
		if !named || t.Name == part {
			return tables.Open(t, records)
		}
	}
	return nil, fmt.Errorf("%s has no table %q", file, part)
}

const unsigned = `(?:\d+(?:,\d{3})*(?:\.\d+)?|\.\d+)`

var (
	number  = regexp.MustCompile(`(?:^|[\s|(\[])([+−-]?` + unsigned + `)(?: ± (` + unsigned + `))?(?: \((\d+)\))?(§?)`)
	percent = regexp.MustCompile(`^(?:(?:,| and| to| or) [+−]?` + unsigned + `)*\s?(?:%|points?\b)`)
	unseen  = regexp.MustCompile("`[^`]*`|\\]\\([^()\\s]+\\)")
)

// shown is a figure as a page has it.
type shown struct {
	line                       int
	text, mean, spread, number string
	apart                      bool
}

// figures are those of a block of lines: numbers with a decimal point, a spread, or per
// cent or points behind them, and the numbers of a table.
func figures(block []string, first int) (all []shown) {
	text, at := "", []int{}
	for i, line := range block {
		if strings.HasPrefix(line, "|") { // the first column is the row's name
			line = line[1+strings.Index(line[1:], "|"):]
		}
		text += unseen.ReplaceAllString(line, "") + "\n"
		for len(at) < len(text) {
			at = append(at, first+i)
		}
	}
	for _, m := range number.FindAllStringSubmatchIndex(text, -1) {
		of := func(i int) string {
			if m[2*i] < 0 {
				return ""
			}
			return text[m[2*i]:m[2*i+1]]
		}
		mean, rest := of(1), text[m[3]:]
		if next := text[m[1]:]; next != "" && strings.ContainsAny(next[:1], "-0123456789abcdefghijklmnopqrstuvwxyz") || strings.HasPrefix(next, "×") {
			continue // of a name, such as 300-Add1 or 4×4
		}
		cell := strings.HasPrefix(block[at[m[2]]-first], "|") && regexp.MustCompile(`^ [^|]*\|`).MatchString(text[m[1]:])
		whole := !strings.ContainsAny(mean, ".") && of(2) == ""
		if whole && !cell && !percent.MatchString(strings.ReplaceAll(rest, "\n", " ")) {
			continue
		}
		all = append(all, shown{at[m[2]], strings.TrimLeft(text[m[0]:m[1]], " \n|(["), mean, of(2), of(3), of(4) != ""})
	}
	return all
}

// wanted is a figure that a mark asks for.
type wanted struct {
	tables.Measured
	query  string
	quoted string // in place of the figure
}

// checkFigures compares the marked figures of a page, and says which are wrong; where
// whole is set, those that have no mark are wrong too. It counts those compared.
func checkFigures(text string, whole bool, find func(string) (*tables.Results, error)) (compared int, wrong []string) {
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		var mark []string
		marked, at := strings.HasPrefix(lines[i], "<!-- records"), i+1
		for marked {
			line, _, end := strings.Cut(strings.TrimPrefix(lines[i], "<!-- records"), "-->")
			for query := range strings.SplitSeq(line, "; ") {
				if query = strings.TrimSpace(query); query != "" {
					mark = append(mark, query)
				}
			}
			if i++; end || i == len(lines) {
				break
			}
		}
		if i < len(lines) && strings.HasPrefix(lines[i], "```") {
			for i++; i < len(lines) && !strings.HasPrefix(lines[i], "```"); i++ {
			}
			continue
		}
		var block []string
		first := i + 1
		for ; i < len(lines) && lines[i] != "" && !strings.HasPrefix(lines[i], "<!-- records"); i++ {
			if !strings.HasPrefix(lines[i], "    ") {
				block = append(block, lines[i])
			} else {
				block = append(block, "")
			}
		}
		if i < len(lines) && lines[i] != "" {
			i-- // a mark is next
		}
		if !marked && !whole {
			continue
		}
		want, err := expected(mark, find)
		if err != nil {
			wrong = append(wrong, fmt.Sprintf("%d: %v", at, err))
			continue
		}
		got := figures(block, first)
		once := strings.Contains(strings.ToLower(strings.Join(block, " ")), "one run")
		for k := range min(len(got), len(want)) {
			if err := want[k].check(got[k], once); err != nil {
				wrong = append(wrong, fmt.Sprintf("%d: %v", got[k].line, err))
			}
			compared++
		}
		for _, f := range got[min(len(got), len(want)):] {
			wrong = append(wrong, fmt.Sprintf("%d: no mark says which record %s comes from", f.line, f.text))
		}
		for _, w := range want[min(len(got), len(want)):] {
			wrong = append(wrong, fmt.Sprintf("%d: there is no figure for %s", first, w.query))
		}
	}
	return compared, wrong
}

// check compares a figure with what is wanted.
func (w *wanted) check(f shown, once bool) error {
	if w.quoted != "" {
		if before, ok := strings.CutSuffix(w.quoted, f.text); !ok || before != "" && !strings.ContainsAny(before[len(before)-1:], " |(") {
			return fmt.Errorf("%s is not what %q ends in", f.text, w.quoted)
		}
		return nil
	}
	says := func(text string, v float64) bool {
		_, decimals, _ := strings.Cut(text, ".")
		got, err := strconv.ParseFloat(strings.NewReplacer("−", "-", ",", "").Replace(text), 64)
		return err == nil && math.Abs(got-v) <= 0.5*math.Pow10(-len(decimals))+1e-9 // a half may be rounded either way
	}
	switch {
	case !says(f.mean, w.Mean), f.spread != "" && !says(f.spread, w.Spread), f.number != "" && f.number != strconv.Itoa(w.Runs):
		return fmt.Errorf("%s, but %s is %.3f ± %.3f (%d)", f.text, w.query, w.Mean, w.Spread, w.Runs)
	case f.apart != w.Apart:
		return fmt.Errorf("%s: a § says that the sides of %s were run by programs whose code differs, and only where they were", f.text, w.query)
	case w.Runs == 1 && f.number == "" && !once:
		return fmt.Errorf("%s does not say that %s is of one run", f.text, w.query)
	}
	return nil
}

// expected are the figures that a mark asks for.
func expected(mark []string, find func(string) (*tables.Results, error)) (all []wanted, err error) {
	var r *tables.Results
	for _, line := range mark {
		if name, ok := strings.CutSuffix(line, ":"); ok {
			if r, err = find(name); err != nil {
				return nil, err
			}
			continue
		}
		if text, ok := strings.CutPrefix(line, "quoted "); ok {
			file, words, _ := strings.Cut(text, " / ")
			page, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
			if err != nil || words == "" || !regexp.MustCompile(regexp.QuoteMeta(words)+`(\D|$)`).Match(page) {
				return nil, fmt.Errorf("%s does not say %q, %v", file, words, err)
			}
			all = append(all, wanted{query: line, quoted: words})
			continue
		}
		parts := strings.Split(line, " / ")
		if r == nil || len(parts) < 2 || len(parts) > 3 {
			return nil, fmt.Errorf("%q is not ROW / COLUMN behind the name of a table", line)
		}
		columns, what := []string{parts[1]}, ""
		if parts[1] == "*" {
			columns = r.Columns()
		}
		if len(parts) == 3 {
			what = parts[2]
		}
		kinds := []string{what}
		if what == "and published" {
			kinds = []string{"", "published"}
		}
		for _, column := range columns {
			for _, what := range kinds {
				m, err := measured(r, parts[0], column, what)
				if err != nil {
					return nil, err
				}
				all = append(all, wanted{Measured: m, query: strings.Join(slices.DeleteFunc([]string{parts[0], column, what}, func(s string) bool { return s == "" }), " / ")})
			}
		}
	}
	return all, nil
}

// measured is one figure of a table.
func measured(r *tables.Results, row, column, what string) (best tables.Measured, err error) {
	rows := []string{row}
	if list, ok := strings.CutPrefix(row, "largest of "); ok {
		rows = strings.Split(list, " | ")
	}
	for i, row := range rows {
		var m tables.Measured
		kind, name, _ := strings.Cut(what, " ")
		switch kind {
		case "":
			m, err = r.Value(row, column)
		case "less":
			m, err = r.Less(row, name, column)
		case "times":
			m, err = r.Times(row, name, column)
		case "of":
			m, err = r.More(row, column, name)
		case "published":
			m, err = r.Published(row, column, name)
		default:
			err = fmt.Errorf("%q is none of less, times, of and published", what)
		}
		if err != nil {
			return m, err
		}
		if i == 0 || m.Mean > best.Mean {
			best = m
		}
	}
	return best, nil
}
