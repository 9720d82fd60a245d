package facts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/hbollon/go-edlib"
	"golang.org/x/text/unicode/norm"

	"hinge/symbolic/psl"
)

// Similar are pairs of records whose texts are alike: of two sources, or of one with itself. It
// is a table of three columns: the identifier in the left source, that in the right one, and the
// similarity of the texts in [0, 1].
//
// A word is a run of letters and digits, in lower case and however Unicode writes them. Not all pairs are compared: those that
// share a word, or for the measures of characters three consecutive characters of a word (the
// blanks before and after it count). If the sources have a third column, a pair has to have one
// text there too.
type Similar struct {
	// Measure is one of Measures.
	Measure string
	// Left and Right have the columns identifier and text, and maybe the column that pairs have to
	// share. If Right is nil, each pair of records of Left is compared once, the earlier one left.
	Left, Right *Source
	// Least is the similarity in (0, 1] from which on a pair counts.
	Least float64
}

// Measures are the possible values of Similar.Measure:
//
//   - jaro-winkler: Winkler's similarity of the words joined by spaces, with a prefix of up to four
//     characters and the factor .1 where Jaro's is above .7;
//   - levenshtein: 1 − d/n, where d is the number of insertions, deletions and replacements of
//     characters that make one text the other, and n the number of characters of the longer;
//   - jaccard: the number of words in both over the number of words in either;
//   - tf-idf: the cosine of the vectors of words, each with its count times
//     1 + ln((1 + N)/(1 + n)), where n of all N records of both sources have the word.
var Measures = []string{"jaro-winkler", "levenshtein", "jaccard", "tf-idf"}

// record is what all rows of an identifier say: its words and the texts that pairs have to share one of.
type record struct {
	id, text string
	blocks   []string
	keys     []int32   // sorted, each once: words, or three characters
	weights  []float64 // how often each key is there; for tf-idf its weight, of length 1
}

// similarTable delivers the pairs of one record of the left source after the other.
type similarTable struct {
	columns
	measure     string
	least       float64
	left, right []record
	same        bool      // right is left
	having      [][]int32 // the records of right with each key
	seen        []int32   // by record of right, the record of left, from 1, that it was compared with
	next        int       // of left
	found       []pair
}

type pair struct {
	left, right int32
	value       float64
}

func openSimilar(ctx context.Context, s *Source) (Table, error) {
	sim := s.Similar
	if sim == nil || sim.Left == nil {
		return nil, errors.New("facts: similar pairs need a left source")
	}
	if !slices.Contains(Measures, sim.Measure) {
		return nil, fmt.Errorf("facts: there is no measure %q, possible are %s", sim.Measure, strings.Join(Measures, ", "))
	}
	if !(sim.Least > 0 && sim.Least <= 1) {
		return nil, fmt.Errorf("facts: the least similarity is %v, want a number above 0 and at most 1", sim.Least)
	}
	t := &similarTable{columns: columns{what: s.Name(), names: []string{"left", "right", "similarity"}, width: 3}, measure: sim.Measure, least: sim.Least, same: sim.Right == nil}
	numbers := map[string]int32{}
	keys := func(words []string) []string { return words }
	if sim.Measure == "jaro-winkler" || sim.Measure == "levenshtein" {
		keys = trigrams
	}
	var err error
	if t.left, err = readRecords(ctx, sim.Left, keys, numbers); err != nil {
		return nil, err
	}
	if t.right = t.left; !t.same {
		if t.right, err = readRecords(ctx, sim.Right, keys, numbers); err != nil {
			return nil, err
		}
	}
	if t.measure == "tf-idf" {
		t.weigh(len(numbers))
	}
	t.having = make([][]int32, len(numbers))
	for i := range t.right {
		for _, w := range t.right[i].keys {
			t.having[w] = append(t.having[w], int32(i))
		}
	}
	t.seen = make([]int32, len(t.right))
	return t, nil
}

// trigrams are the runs of three characters of words between blanks.
func trigrams(words []string) []string {
	var list []string
	for _, w := range words {
		runes := []rune(" " + w + " ")
		for i := range len(runes) - 2 {
			list = append(list, string(runes[i:i+3]))
		}
	}
	return list
}

// readRecords reads a source and numbers the keys that its words have. An identifier has one text, and
// may stand in several blocks.
func readRecords(ctx context.Context, s *Source, keys func(words []string) []string, numbers map[string]int32) ([]record, error) {
	var list []record
	place := map[string]int{} // in list, of each identifier
	arity := len(s.Columns)
	if arity != 2 && arity != 3 {
		return nil, fmt.Errorf("%s: %s, want the identifier, the text, and maybe what pairs have to share", s.Path, psl.Count(arity, "column"))
	}
	err := s.Read(ctx, arity, func(r *Row) error {
		block := ""
		if arity == 3 {
			block = strings.Clone(norm.NFC.String(r.Args[2]))
		}
		words := wordsOf(r.Args[1])
		rec := record{id: strings.Clone(r.Args[0]), text: strings.Join(words, " "), blocks: []string{block}}
		if at, ok := place[rec.id]; ok {
			before := &list[at]
			if before.text != rec.text {
				return r.FailAt(0, fmt.Sprintf("%s has another text before: %s and %s; give each record an identifier of its own", Show(rec.id), Show(before.text), Show(rec.text)))
			}
			if !slices.Contains(before.blocks, block) {
				before.blocks = append(before.blocks, block)
			}
			return nil
		}
		place[rec.id] = len(list)
		counts := map[int32]float64{}
		for _, key := range keys(words) {
			n, ok := numbers[key]
			if !ok {
				n = int32(len(numbers))
				numbers[key] = n
			}
			counts[n]++
		}
		rec.keys = slices.Sorted(maps.Keys(counts))
		for _, key := range rec.keys {
			rec.weights = append(rec.weights, counts[key])
		}
		list = append(list, rec)
		return nil
	})
	return list, err
}

// alike replaces letters that capitals do not tell apart: of ß, of a sigma at the end of a word and of an ı without a dot.
var alike = strings.NewReplacer("ß", "ss", "ς", "σ", "ı", "i")

// wordsOf are the words of a text. A letter of Unicode may have several codes, as é is one rune or two, and ｅ and the
// ligature ﬁ stand for e and fi: they are one. Soft hyphens, joiners and other signs that only format a text are left out.
func wordsOf(text string) []string {
	// Signs come first, as the compatible form of ´ is a blank with an accent, and that of ™ letters.
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '\u200b' || r == 'ʼ' || r == 'ʻ': // a space without width, which ends a word, and letters that are apostrophes
			return ' '
		case unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point):
			return -1
		case inWord(r):
			return r
		}
		return ' '
	}, text)
	text = norm.NFC.String(alike.Replace(strings.ToLower(norm.NFKC.String(text))))
	return strings.FieldsFunc(text, func(r rune) bool { return !inWord(r) })
}

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) }

// weigh turns the counts of words into weights.
func (t *similarTable) weigh(words int) {
	lists := [][]record{t.left, t.right}
	if t.same {
		lists = lists[:1]
	}
	n, having := 0, make([]int, words)
	for _, list := range lists {
		n += len(list)
		for i := range list {
			for _, w := range list[i].keys {
				having[w]++
			}
		}
	}
	for _, list := range lists {
		for i := range list {
			r := &list[i]
			norm := 0.0
			for k, w := range r.keys {
				r.weights[k] *= 1 + math.Log(float64(1+n)/float64(1+having[w]))
				norm += r.weights[k] * r.weights[k]
			}
			for k := range r.weights {
				r.weights[k] /= math.Sqrt(norm)
			}
		}
	}
}

// compare finds the pairs of a record of the left source.
func (t *similarTable) compare(at int) {
	t.found = t.found[:0]
	l := &t.left[at]
	for _, w := range l.keys {
		for _, j := range t.having[w] {
			if t.seen[j] == int32(at+1) || t.same && j <= int32(at) {
				continue
			}
			t.seen[j] = int32(at + 1)
			r := &t.right[j]
			if !slices.ContainsFunc(l.blocks, func(b string) bool { return slices.Contains(r.blocks, b) }) {
				continue
			}
			if v := t.value(l, r); v >= t.least {
				t.found = append(t.found, pair{int32(at), j, v})
			}
		}
	}
	slices.SortFunc(t.found, func(a, b pair) int { return int(a.right - b.right) })
	slices.Reverse(t.found) // taken from the end
}

// value is the similarity of two records, rounded to a millionth, so that the cosine of equal words
// is 1.
func (t *similarTable) value(l, r *record) float64 {
	v := 0.0
	switch t.measure {
	case "jaro-winkler":
		v = jaroWinkler(l.text, r.text)
	case "levenshtein":
		longer := max(len([]rune(l.text)), len([]rune(r.text)))
		v = 1 - float64(edlib.LevenshteinDistance(l.text, r.text))/float64(longer)
	case "jaccard":
		both := 0.0
		shared(l.keys, r.keys, func(int, int) { both++ })
		v = both / (float64(len(l.keys)+len(r.keys)) - both)
	case "tf-idf":
		shared(l.keys, r.keys, func(i, j int) { v += l.weights[i] * r.weights[j] })
	}
	return min(math.Round(v*1e6)/1e6, 1)
}

// shared calls visit with the places of the words that two sorted lists share.
func shared(a, b []int32, visit func(i, j int)) {
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] < b[j]:
			i++
		case a[i] > b[j]:
			j++
		default:
			visit(i, j)
			i, j = i+1, j+1
		}
	}
}

func (t *similarTable) Close() error { return nil }

func (t *similarTable) Next(cells []Cell) error {
	for len(t.found) == 0 {
		if t.next == len(t.left) {
			return io.EOF
		}
		t.compare(t.next)
		t.next++
	}
	p := t.found[len(t.found)-1]
	t.found = t.found[:len(t.found)-1]
	for i, at := range t.chosen {
		cells[i] = Cell{Text: [...]string{t.left[p.left].id, t.right[p.right].id, FormatFloat(p.value, 64)}[at]}
	}
	return nil
}

func (t *similarTable) Place(_ int, msg string) error { return errors.New(t.what + ": " + msg) }
