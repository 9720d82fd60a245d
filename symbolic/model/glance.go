package model

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"hinge/symbolic/facts"
	"hinge/symbolic/psl"
)

// headers are words that name columns, or end such names: user_id, movieTitle.
var headers = []string{"id", "id1", "id2", "name", "entity", "person", "user", "item", "node", "source", "target", "from", "to", "value", "truth",
	"label", "category", "class", "weight", "score", "subject", "object", "arg1", "arg2", "x", "y", "title", "key", "type",
	"movie", "film", "product", "customer", "paper", "document", "author", "city", "country", "date", "rating", "stars"}

// glance holds what the rows of a source look like.
type glance struct {
	p      *Predicate
	rows   int
	first  []string // arguments of the first row
	place  psl.Pos  // of the first row; zero where rows have no lines
	valued bool     // rows have a value
	others int      // further rows that were compared with the first
	digits []int    // how many of them have a digit in an argument
	// constant is the first in quotes, quoted its place, quotes their number.
	constant string
	quoted   psl.Pos
	quotes   int
}

// compared is how many rows a first one is compared with.
const compared = 1000

// row looks at a row.
func (g *glance) row(r *facts.Row) {
	if g.rows++; g.rows == 1 {
		g.first, g.place, g.valued = slices.Clone(r.Args), lineOf(r.Fail("")), r.Valued
	} else if g.others < compared {
		g.others++
		for i, field := range r.Args {
			if strings.ContainsAny(field, "0123456789") {
				g.digits[i]++
			}
		}
	}
	for i, arg := range r.Args {
		if k := len(arg) - 1; k > 0 && arg[0] == arg[k] && (arg[0] == '"' || arg[0] == '\'') {
			if g.quotes++; g.quotes == 1 {
				g.constant, g.quoted = strings.Clone(arg), lineOf(r.FailAt(i, ""))
			}
		}
	}
}

// lineOf returns the place of an error of a row; the zero Pos where it has no line.
func lineOf(err error) psl.Pos {
	if e := (*facts.Error)(nil); errors.As(err, &e) && e.Line > 0 {
		return psl.Pos{File: e.Source, Line: e.Line, Col: e.Col}
	}
	return psl.Pos{}
}

// doubtSource finds a source that adds nothing, a first row that names columns or is one of
// another format, and constants in quotes. at is the node of the source, added the number of
// atoms that are new.
func (l *loader) doubtSource(g *glance, at *node, src *facts.Source, added int) {
	warn := func(pos psl.Pos, hint, format string, args ...any) {
		if l.doubt(at, hint, format, args...); pos.Line > 0 {
			l.m.Warnings[len(l.m.Warnings)-1].Pos = pos
		}
	}
	if added == 0 {
		why := "others have them all"
		if g.rows == 0 {
			why = "it has no row that is asked for"
		}
		warn(psl.Pos{}, "remove it from the model, or look at what it asks for", "%s adds no atom of %s: %s", src.Name(), g.p.Name, why)
	}
	if g.rows == 0 {
		return
	}
	first := strings.Join(g.first, "\t")
	if src.Format == "tsv" {
		csv := strings.Contains(first, ",") && strings.HasSuffix(strings.TrimSuffix(strings.ToLower(src.Path), ".gz"), ".csv")
		if json := strings.HasPrefix(first, "{") && strings.HasSuffix(first, "}"); csv || json {
			format := map[bool]string{true: "csv", false: "jsonl"}[csv]
			warn(g.place, `write {"`+format+`": PATH, "columns": …} in the model if it is`, "%q looks like a row of %s, and is read as one constant of %s", first, strings.ToUpper(format), g.p.Name)
			return
		}
	}
	if src.NoHeader && g.isHeader() {
		hint := "remove it if it is"
		if src.Format == "csv" {
			hint = `remove "header": false if it is`
		}
		warn(g.place, hint, "%q looks like a header, and is read as an atom of %s", first, g.p.Name)
	}
	if g.quotes > 0 {
		warn(g.quoted, "remove the quotes, unless all data and rules mean them", "the quotes of %s in %s are part of the constant: without them it is another one%s",
			g.constant, src.Name(), map[bool]string{true: fmt.Sprintf("; so are those of %d more", g.quotes-1)}[g.quotes > 1])
	}
}

// isHeader reports whether each argument of the first row names a column: it is a word of
// headers, or ends in one, or it alone has no digit. A row with a truth value is none.
func (g *glance) isHeader() bool {
	if g.valued {
		return false
	}
	for i, field := range g.first {
		field = strings.Trim(field, `"'`)
		words := strings.FieldsFunc(nameBreak.ReplaceAllString(field, "$1 $2"), func(r rune) bool { return strings.ContainsRune(" _-.", r) })
		named := len(words) > 0 && slices.Contains(headers, strings.ToLower(words[len(words)-1])) || strings.EqualFold(field, g.p.Name)
		alone := g.others > 1 && g.digits[i] == g.others && !strings.ContainsAny(field, "0123456789")
		if !named && !alone {
			return false
		}
	}
	return len(g.first) > 1 || len(g.first[0]) > 1
}

// nameBreak is where a name in camel case has a new word.
var nameBreak = regexp.MustCompile(`(\p{Ll})(\p{Lu})`)
