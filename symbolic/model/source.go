package model

import (
	"context"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"hinge/symbolic/facts"
	"hinge/symbolic/ground"
	"hinge/symbolic/psl"
)

// sourceKeys lists the keys of a source by its format, and last the keys of all formats.
var sourceKeys = map[string][]string{
	"tsv":     {"header"},
	"csv":     {"separator", "header"},
	"jsonl":   nil,
	"parquet": nil,
	"sql":     {"query"},
	"similar": {"left", "right", "least"},
	"":        {"columns", "value", "scale", "shift", "null", "where"},
}

// readSource loads the rows of a file or of a database. at is the node that names its place.
func (l *loader) readSource(p *Predicate, section ground.Section, at *node, src *facts.Source) {
	if l.opts.Reading != nil {
		for _, path := range src.Paths() {
			l.opts.Reading(path)
		}
	}
	before, look := l.m.size(p.Name), &glance{p: p, digits: make([]int, p.Arity)}
	err := src.Read(context.Background(), p.Arity, func(r *facts.Row) error {
		for i, arg := range r.Args {
			if problem := checkConstant(p.Types[i], arg); problem != "" {
				return r.FailAt(i, problem)
			}
		}
		look.row(r)
		if err := l.m.Data.Add(section, p.Name, r.Value, r.Args...); err != nil {
			return r.Fail(err.Error())
		}
		return nil
	})
	// A row has its own place; faults of the whole source have the place in the model.
	if row := (*facts.Error)(nil); err != nil && !errors.As(err, &row) {
		err = dataFault(l.errorf(at, "%v", err))
	}
	must(err)
	l.doubtSource(look, at, src, l.m.size(p.Name)-before)
}

// source reads the description of a source. at is the node that names its place.
func (l *loader) source(p *Predicate, n *node) (src *facts.Source, at *node) {
	src = new(facts.Source)
	for _, format := range facts.Formats {
		v := n.get(format)
		if v == nil {
			continue
		}
		if at != nil {
			panic(l.errorf(v, "%s beside %s: a source has one of %s", format, src.Format, list(facts.Formats)))
		}
		l.expect(v, textNode, format)
		src.Format, at = format, v
	}
	if at == nil {
		hint := `write {"csv": "ratings.csv", "columns": ["user", "item"], "value": "stars"}`
		if len(n.keys) > 0 {
			hint = suggest(n.keys[0].text, facts.Formats)
		}
		panic(l.hint(n, hint, "a source of %s names none of %s", p.Name, list(facts.Formats)))
	}
	if src.Format == "similar" {
		l.similar(p, src, at, n)
		return src, at
	}
	l.only(n, "a source "+src.Format, slices.Concat([]string{src.Format}, sourceKeys[src.Format], sourceKeys[""])...)
	for _, read := range []func(*facts.Source, *node, *node){l.sourcePlace, l.sourceText, l.sourceColumns, l.sourceScale, l.sourceNull} {
		read(src, at, n)
	}
	return src, at
}

// similar reads the two sources of similar pairs, the measure and the least similarity.
func (l *loader) similar(p *Predicate, src *facts.Source, at, n *node) {
	l.only(n, "a source similar", append([]string{"similar"}, sourceKeys["similar"]...)...)
	src.Similar = &facts.Similar{Measure: at.text}
	if !slices.Contains(facts.Measures, at.text) {
		panic(l.hint(at, suggest(at.text, facts.Measures), "there is no measure %s; there are %s", facts.Show(at.text), list(facts.Measures)))
	}
	for _, side := range []struct {
		key string
		to  **facts.Source
	}{{"left", &src.Similar.Left}, {"right", &src.Similar.Right}} {
		key := side.key
		v := l.child(n, key, objectNode)
		if v == nil {
			continue
		}
		s, place := l.source(p, v)
		if s.Format == "similar" {
			panic(l.errorf(place, "%s is itself a source of similar pairs", key))
		}
		if k := len(s.Columns); k != 2 && k != 3 {
			panic(l.hint(v, `write "columns": ["id", "name"]`, "%s has %s, want those of the identifier, of the text, and maybe of what pairs have to share", key, psl.Count(k, "column")))
		}
		if s.Value != nil {
			panic(l.errorf(v.get("value"), "%s has a value, but records have none", key))
		}
		*side.to = s
	}
	switch left, right := src.Similar.Left, src.Similar.Right; {
	case left == nil:
		panic(l.hint(n, `add "left": {"csv": "people.csv", "columns": ["id", "name"]}`, "the source similar has no left"))
	case right != nil && len(left.Columns) != len(right.Columns):
		panic(l.errorf(n.get("right"), "right has %s, left has %d", psl.Count(len(right.Columns), "column"), len(left.Columns)))
	}
	least := n.get("least")
	if least == nil {
		panic(l.hint(n, `add "least": 0.8`, "the source similar has no least similarity"))
	}
	v, err := parseNumber(least.text)
	if least.kind != numberNode || err != nil || !(v > 0 && v <= 1) {
		panic(l.errorf(least, "least is %s, want a number above 0 and at most 1", facts.Show(least.text)))
	}
	src.Similar.Least = v
}

// list joins at least two words for a message.
func list(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// sourcePlace finds the file, or reads the address of the database and the query.
func (l *loader) sourcePlace(src *facts.Source, at, n *node) {
	locate := func(n *node) string {
		path, err := l.locate(n)
		must(dataFault(err))
		return path
	}
	if src.Format != "sql" {
		src.Path = locate(at)
		return
	}
	src.Path = at.text
	if file, ok := facts.SQLiteFile(at.text); ok {
		path := *at
		path.text = file
		src.Path = at.text[:len(at.text)-len(file)] + locate(&path)
	}
	if _, err := facts.ParseAddress(src.Path); err != nil {
		panic(l.errorf(at, "%v", err))
	}
	q := l.child(n, "query", textNode)
	if q == nil {
		panic(l.hint(n, `add "query": "SELECT user_id, item_id FROM …"`, "the source sql has no query"))
	}
	src.Query = q.text
}

// column reads the name of a column, or its number from 1.
func (l *loader) column(n *node, what string) facts.Column {
	switch n.kind {
	case textNode:
		if n.text == "" {
			panic(l.errorf(n, "%s is an empty name", what))
		}
		return facts.Column{Name: n.text}
	case numberNode:
		if k, err := strconv.Atoi(n.text); err == nil && k > 0 {
			return facts.Column{Number: k}
		}
	}
	panic(l.errorf(n, "%s is %s, want the name of a column, or its number from 1", what, map[bool]string{true: n.text, false: n.kind.String()}[n.text != ""]))
}

func (l *loader) sourceColumns(src *facts.Source, _, n *node) {
	columns := l.elements(n, "columns", listNode)
	for i := range columns {
		src.Columns = append(src.Columns, l.column(&columns[i], "a column"))
	}
	if v := n.get("value"); v != nil {
		c := l.column(v, "value")
		src.Value = &c
	}
	where := l.child(n, "where", objectNode)
	if where == nil {
		return
	}
	for i := range where.keys {
		text := l.scalar(&where.items[i], "what is wanted of a column")
		column := facts.Column{Name: where.keys[i].text}
		if at, err := strconv.Atoi(column.Name); src.NoHeader && err == nil && at > 0 {
			column = facts.Column{Number: at} // there are no names
		}
		src.Where = append(src.Where, facts.Condition{Column: column, Text: text})
	}
}

// sourceScale reads scale, the two values that become 0 and 1, or a factor with a shift.
func (l *loader) sourceScale(src *facts.Source, _, n *node) {
	scale, shift := n.get("scale"), n.get("shift")
	if scale == nil && shift == nil {
		return
	}
	number := func(n *node, what string) float64 {
		v, err := parseNumber(n.text)
		if n.kind != numberNode || err != nil || math.IsInf(v, 0) {
			panic(l.errorf(n, "%s is %s, want a number", what, map[bool]string{true: facts.Show(n.text), false: n.kind.String()}[n.text != ""]))
		}
		return v
	}
	if scale != nil && scale.kind == listNode {
		if shift != nil {
			panic(l.hint(shift, "remove it", "shift beside two values of scale"))
		}
		if len(scale.items) != 2 {
			panic(l.errorf(scale, "scale has %s, want two, which become 0 and 1", psl.Count(len(scale.items), "value")))
		}
		low := number(&scale.items[0], "scale")
		high := number(&scale.items[1], "scale")
		if low == high {
			panic(l.errorf(scale, "the two values of scale are the same"))
		}
		src.Scale = facts.Between(low, high)
		return
	}
	src.Scale.Factor = 1
	for _, s := range []struct {
		n    *node
		name string
		to   *float64
	}{{scale, "scale", &src.Scale.Factor}, {shift, "shift", &src.Scale.Shift}} {
		if s.n != nil {
			*s.to = number(s.n, s.name)
		}
	}
	if src.Scale.Factor == 0 {
		panic(l.errorf(scale, "a scale of 0 gives all atoms one value"))
	}
}

// sourceNull reads null: true, a text or a list of texts that mean a missing value.
func (l *loader) sourceNull(src *facts.Source, _, n *node) {
	null := n.get("null")
	if null == nil {
		return
	}
	src.SkipNull = true
	switch null.kind {
	case boolNode:
		src.SkipNull = isTrue(null.text)
	case listNode:
		for i := range null.items {
			src.Null = append(src.Null, l.scalar(&null.items[i], "null"))
		}
	default:
		src.Null = []string{l.scalar(null, "null")}
	}
}

// sourceText reads header and separator.
func (l *loader) sourceText(src *facts.Source, _, n *node) {
	src.NoHeader = src.Format == "tsv"
	if h := l.child(n, "header", boolNode); h != nil {
		src.NoHeader = !isTrue(h.text)
	}
	s := l.child(n, "separator", textNode)
	if s == nil {
		return
	}
	r, size := utf8.DecodeRuneInString(s.text)
	if size != len(s.text) || size == 0 || r == '"' || r == '\n' || r == '\r' || r == utf8.RuneError {
		panic(l.errorf(s, `the separator is %s, want one character, such as ";" or "\t"`, facts.Show(s.text)))
	}
	src.Separator = r
}
