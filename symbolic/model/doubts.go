package model

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"hinge/symbolic/evaluate"
	"hinge/symbolic/ground"
	"hinge/symbolic/psl"
)

// doubts looks for probable slips in the predicates and their data.
func (l *loader) doubts(predicates *node) {
	used := map[string]bool{}
	for _, r := range l.m.Rules.Rules {
		for _, a := range r.Atoms() {
			used[strings.ToUpper(a.Predicate)] = true
		}
	}
	for i, p := range l.m.Data.Predicates() {
		key := &predicates.keys[i]
		if !used[strings.ToUpper(p.Name)] {
			l.warn(key, "remove it, or write a rule with it", "%s is in no rule", p.Name)
		} else if p.Observations+p.Targets+p.Deep == 0 {
			l.doubt(key, "give it observations or targets; all its atoms count as false", "%s has no data in the partition %s", p.Name, l.m.Partition)
		}
		if n, first := l.m.Data.StrayTruths(p.Name); n > 0 {
			l.doubt(key, "add them to the targets, or remove them", "%d of the true values of %s are of atoms that are not targets, the first is %s(%s)",
				n, p.Name, p.Name, strings.Join(first, ", "))
		}
		l.doubtValues(key, p)
	}
	for i := range l.m.Evaluations {
		l.doubtEvaluation(&l.m.Evaluations[i], predicates)
	}
}

// doubtValues finds observations that all have one value, which is not 1.
func (l *loader) doubtValues(key *node, p ground.PredicateInfo) {
	if p.Observations < 2 {
		return
	}
	value, n := 0.0, 0
	for a := range l.m.Data.Atoms(p.Name) {
		if a.Kind != ground.Observed {
			continue
		}
		if n++; n > 1 && a.Value != value {
			return
		}
		value = a.Value
	}
	if value != 1 {
		l.doubt(key, "check the column of values", "all %d observations of %s have the value %v", n, p.Name, value)
	}
}

// doubtEvaluation finds evaluators that measure nothing, or that measure something else in the
// reference.
func (l *loader) doubtEvaluation(e *Evaluation, predicates *node) {
	key := &predicates.keys[l.m.place(e.Predicate)]
	s := l.m.Sample(e.Predicate, make([]float64, l.m.Data.Targets()), make([]float64, l.m.Data.DeepAtoms()))
	switch e := e.Evaluator.(type) {
	case *evaluate.Categorical:
		// The reference looks for the truth of observed atoms among the targets.
		n := 0
		for _, a := range s.Observed {
			if a.Truth >= 1 {
				n++
			}
		}
		if n > 0 && !e.IncludeObserved {
			l.doubt(key, "remove them from the truth, or set eval.includeobs true",
				"%d true atoms of %s are observed: they are left out of the accuracy, which the reference lowers by them as misses", n, s.Predicate)
		}
	case *evaluate.AUC:
		same := len(s.Labelled) > 1
		for _, a := range s.Labelled {
			same = same && (a.Truth >= e.Threshold) == (s.Labelled[0].Truth >= e.Threshold)
		}
		if same {
			l.doubt(key, "check the truth", "the true values of %s are all on one side of the threshold: there is no ranking to evaluate", s.Predicate)
		}
	}
}

// headers are words that name columns, or end such names: user_id, movieTitle.
var headers = []string{"id", "id1", "id2", "name", "entity", "person", "user", "item", "node", "source", "target", "from", "to", "value", "truth",
	"label", "category", "class", "weight", "score", "subject", "object", "arg1", "arg2", "x", "y", "title", "key", "type",
	"movie", "film", "product", "customer", "paper", "document", "author", "city", "country", "date", "rating", "stars"}

// doubtFile finds a file that adds nothing, a first line that names columns, and constants
// in quotes.
func (l *loader) doubtFile(p *Predicate, path string, added int) {
	warn := func(line, column int, hint, format string, args ...any) {
		w := psl.Warning{Pos: psl.Pos{File: path, Line: line, Col: column}, Msg: fmt.Sprintf(format, args...), Hint: hint}
		l.m.Warnings = append(l.m.Warnings, Warning{Warning: w, Data: true})
	}
	look, err := glanceAt(path, p)
	switch {
	case err != nil:
		return // it was read a moment ago
	case added == 0 && look.first == "":
		warn(0, 0, "remove it from the model, or fill it", "the data file of %s is empty", p.Name)
		return
	case added == 0:
		warn(0, 0, "remove it from the model", "the data file adds no atom of %s: others have them all", p.Name)
	}
	csv := strings.Contains(look.first, ",") && strings.HasSuffix(strings.TrimSuffix(strings.ToLower(path), ".gz"), ".csv")
	if json := strings.HasPrefix(look.first, "{") && strings.HasSuffix(look.first, "}"); csv || json {
		format := map[bool]string{true: "csv", false: "jsonl"}[csv]
		warn(look.line, 1, `write {"`+format+`": PATH, "columns": …} in the model if it is`, "%q looks like a row of %s, and is read as one constant of %s", look.first, strings.ToUpper(format), p.Name)
		return
	}
	if look.isHeader(p) {
		warn(look.line, 1, "remove it if it is", "%q looks like a header, and is read as an atom of %s", look.first, p.Name)
	}
	if look.quotes > 0 {
		warn(look.quoted.Line, look.quoted.Col, "remove the quotes, unless all data and rules mean them", "the quotes of %s are part of the constant: without them it is another one%s",
			look.constant, map[bool]string{true: fmt.Sprintf("; so are those of %d more in the file", look.quotes-1)}[look.quotes > 1])
	}
}

// glance holds the notes on a data file besides its atoms.
type glance struct {
	first  string // line that is not blank
	line   int    // its number
	others int    // further lines that were compared with it
	digits []int  // how many of them have a digit in an argument
	// constant is the first in quotes, quoted its place, quotes their number.
	constant string
	quoted   psl.Pos
	quotes   int
}

// compared is how many lines a first one is compared with.
const compared = 1000

// glanceAt reads a file of a predicate.
func glanceAt(path string, p *Predicate) (*glance, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(path, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			return nil, err
		}
	}
	g := &glance{digits: make([]int, p.Arity)}
	in := bufio.NewScanner(r)
	in.Buffer(nil, 1<<20)
	for n := 1; in.Scan(); n++ {
		line := bytes.TrimPrefix(in.Bytes(), []byte("\uFEFF"))
		if len(bytes.TrimSpace(line)) == 0 || g.others == compared && !bytes.ContainsAny(line, `"'`) {
			continue
		}
		text := string(line)
		if g.line == 0 {
			g.first, g.line = strings.TrimSpace(text), n
		} else if g.others < compared {
			g.compare(arguments(text, p.Arity))
		}
		g.quotesOf(text, n, p.Arity)
	}
	return g, in.Err()
}

// compare looks at the arguments of a row that is not the first.
func (g *glance) compare(args []string) {
	g.others++
	for i, field := range args {
		if strings.ContainsAny(field, "0123456789") {
			g.digits[i]++
		}
	}
}

// inQuotes reports whether a constant stands in quotes.
func inQuotes(text string) bool {
	k := len(text) - 1
	return k > 0 && text[0] == text[k] && (text[0] == '"' || text[0] == '\'')
}

// arguments are the fields of a line that are arguments.
func arguments(line string, arity int) []string {
	fields := strings.Split(line, "\t")
	return fields[:min(len(fields), arity)]
}

// quotesOf counts the arguments in quotes.
func (g *glance) quotesOf(line string, n, arity int) {
	if !strings.ContainsAny(line, `"'`) {
		return
	}
	at := 0
	for _, field := range arguments(line, arity) {
		if text := strings.TrimSpace(field); inQuotes(text) {
			if g.quotes++; g.quotes == 1 {
				g.constant, g.quoted = text, psl.Pos{Line: n, Col: utf8.RuneCountInString(line[:at]) + 1}
			}
		}
		at += len(field) + 1
	}
}

// isHeader reports whether each argument of the first line names a column: it is a word of
// headers, or ends in one, or it alone has no digit. A line with a truth value is none.
func (g *glance) isHeader(p *Predicate) bool {
	if fields := strings.Split(g.first, "\t"); len(fields) > p.Arity {
		if _, err := strconv.ParseFloat(strings.TrimSpace(fields[p.Arity]), 64); err == nil {
			return false
		}
	}
	fields := arguments(g.first, p.Arity)
	for i, field := range fields {
		field = strings.Trim(strings.TrimSpace(field), `"'`)
		words := strings.FieldsFunc(nameBreak.ReplaceAllString(field, "$1 $2"), func(r rune) bool { return strings.ContainsRune(" _-.", r) })
		named := len(words) > 0 && slices.Contains(headers, strings.ToLower(words[len(words)-1])) || strings.EqualFold(field, p.Name)
		alone := g.others > 1 && g.digits[i] == g.others && !strings.ContainsAny(field, "0123456789")
		if !named && !alone {
			return false
		}
	}
	return len(fields) > 1 || len(g.first) > 1
}

// nameBreak is where a name in camel case has a new word.
var nameBreak = regexp.MustCompile(`(\p{Ll})(\p{Lu})`)
