package facts_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/symbolic/facts"
)

// people is a source of records: identifier, text and maybe what pairs have to share.
func people(t *testing.T, rows ...string) *facts.Source {
	t.Helper()
	columns := facts.Named("id", "text", "block")[:strings.Count(rows[0], "|")+1]
	return &facts.Source{Format: "csv", Separator: '|', Columns: columns, Path: file(t, "p.csv", "id|text|block\n"+pad(rows)), SkipNull: true}
}

// pad gives each row three fields.
func pad(rows []string) string {
	var b strings.Builder
	for _, row := range rows {
		b.WriteString(row + strings.Repeat("|", 2-strings.Count(row, "|")) + "\n")
	}
	return b.String()
}

// pairs reads similar pairs as "left-right".
func pairs(t *testing.T, s facts.Similar) map[string]float64 {
	t.Helper()
	got := map[string]float64{}
	src := facts.Source{Format: "similar", Similar: &s}
	require.NoError(t, src.Read(context.Background(), 2, func(r *facts.Row) error {
		key := r.Args[0] + "-" + r.Args[1]
		_, twice := got[key]
		assert.False(t, twice, key)
		got[key] = r.Value
		return nil
	}))
	return got
}

// TestSimilarityOfCharacters: the values of Winkler's paper (Table 1 of "String comparator metrics
// and enhanced decision rules in the Fellegi-Sunter model of record linkage", 1990, three digits),
// three of jellyfish and rapidfuzz, where characters out of order are odd in number or a prefix does not
// count, and of edit distances counted by hand.
func TestSimilarityOfCharacters(t *testing.T) {
	for _, c := range []struct {
		left, right         string
		winkler, levenstein float64
	}{
		{"SHACKLEFORD", "SHACKELFORD", .982, 1 - 2./11},
		{"NICHLESON", "nichulson", .956, 1 - 2./9},
		{"JONES", "JOHNSON", .832, 1 - 4./7},
		{"ABROMS", "ABRAMS", .922, 1 - 1./6},
		{"MARTHA", "MARHTA", .961, 1 - 2./6},
		{"DWAYNE", "DUANE", .840, 1 - 2./6},
		{"Ümit", "ümit!", 1, 1},
		{"ΟΔΟΣ", "οδος", 1, 1},
		{"o neil pat", "pat o neil", .6571, 1 - 8./10},
		{"mary jane watson", "mary j watson", .9163, 1 - 3./16},
		{"prefix only here", "preserve nothing xx", .6047, 1 - 14./19},
	} {
		for measure, want := range map[string]float64{"jaro-winkler": c.winkler, "levenshtein": c.levenstein} {
			got := pairs(t, facts.Similar{Measure: measure, Left: people(t, "a|"+c.left), Right: people(t, "b|"+c.right), Least: .1})
			assert.InDelta(t, want, got["a-b"], 5.1e-4, "%s of %s and %s", measure, c.left, c.right)
		}
	}
}

// TestSimilarWriting: texts that differ in how Unicode writes them alone are equal by each measure, and those of one
// block. The forms are NFKC_Casefold's of the Unicode standard, but for Turkish and signs, which are separators.
func TestSimilarWriting(t *testing.T) {
	for _, c := range [][2]string{
		{"Café Señor", "Cafe\u0301 Sen\u0303or"}, {"한국 식당", "\u1112\u1161\u11ab\u1100\u116e\u11a8 \u1109\u1175\u11a8\u1103\u1161\u11bc"},
		{"Bar 12", "Ｂａｒ\u3000１２"}, {"ガス", "ｶﾞｽ"}, {"fish office", "ﬁsh oﬃce"}, {"ijssel iv m2", "ĳssel Ⅳ m²"},
		{"Straße", "STRASSE"}, {"Straße", "STRAẞE"}, {"ǰ", "J̌"}, {"İstanbul", "istanbul"}, {"İSTANBUL", "I\u0307stanbul"}, {"Diyarbakır", "DİYARBAKIR"},
		{"Donaudampf", "Donau\u00addampf"}, {"abc", "\ufeffabc\u200e"}, {"میخواهم", "می\u200cخواهم"}, {"bar", "☕\ufe0f Bar"},
		{"new york", "New\u00a0York"}, {"new york", "new\u200byork"}, {"jean luc", "Jean–Luc"}, {"jean luc", "Jean\u2011Luc"},
		{"O'Neil", "O´Neil"}, {"O'Neil", "O’Neil"}, {"O'Neil", "Oʼneil"}, {"Hawai‘i", "Hawaiʻi"}, {"nike", "Nike™"},
	} {
		for _, measure := range facts.Measures {
			got := pairs(t, facts.Similar{Measure: measure, Left: people(t, "a|"+c[0]+"|Zürich"), Right: people(t, "b|"+c[1]+"|Zu\u0308rich"), Least: .1})
			assert.Equal(t, map[string]float64{"a-b": 1}, got, "%s of %q and %q", measure, c[0], c[1])
		}
	}
	got := pairs(t, facts.Similar{Measure: "levenshtein", Left: people(t, "a|Cafe\u0301"), Right: people(t, "b|cafe"), Least: .1})
	assert.Equal(t, .75, got["a-b"], "an accent is another letter")
	got = pairs(t, facts.Similar{Measure: "jaccard", Left: people(t, "a|☕\ufe0f one"), Right: people(t, "b|☀\ufe0f two"), Least: .1})
	assert.Empty(t, got, "a variation selector is no word")
}

// TestSimilarityOfWords: tf-idf as TfidfVectorizer of scikit-learn 1.9.1 has it (token_pattern
// \w+), and Jaccard's index by hand.
func TestSimilarityOfWords(t *testing.T) {
	left := []string{"0|art's deli", "1|art's delicatessen of studio city", "2|Café Bizou", "3|the the palm"}
	right := []string{"0|arts deli", "1|Art's Deli", "2|cafe bizou", "3|bizou café", "4|palm the"}
	for measure, want := range map[string]map[string]float64{
		"tf-idf":  {"0-0": .34173735, "0-1": 1, "1-1": .37628072, "2-2": .38837248, "2-3": 1, "3-4": .9486833},
		"jaccard": {"0-0": 1. / 4, "0-1": 1, "1-1": 2. / 7, "2-2": 1. / 3, "2-3": 1, "3-4": 1},
	} {
		got := pairs(t, facts.Similar{Measure: measure, Left: people(t, left...), Right: people(t, right...), Least: .01})
		assert.Len(t, got, len(want), measure)
		for key, v := range want {
			assert.InDelta(t, v, got[key], 1e-6, "%s of %s", measure, key)
		}
	}
}

// TestSimilarPairs: all pairs of random texts that are alike enough, and no others, by comparing
// each with each.
func TestSimilarPairs(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	var rows []string
	var texts []map[string]bool
	var blocks []int
	for i := range 60 {
		words := map[string]bool{}
		for range 1 + random.IntN(4) {
			words[fmt.Sprint("w", random.IntN(8))] = true
		}
		list := []string{}
		for w := range words {
			list = append(list, w)
		}
		slices.Sort(list)
		texts, blocks = append(texts, words), append(blocks, random.IntN(3))
		rows = append(rows, fmt.Sprintf("%d|%s|%d", i, strings.Join(list, " "), blocks[i]))
	}
	want := map[string]float64{}
	for i := range texts {
		for j := i + 1; j < len(texts); j++ {
			both := 0.
			for w := range texts[i] {
				if texts[j][w] {
					both++
				}
			}
			if v := both / (float64(len(texts[i])+len(texts[j])) - both); v >= .5 && blocks[i] == blocks[j] {
				want[fmt.Sprintf("%d-%d", i, j)] = v
			}
		}
	}
	got := pairs(t, facts.Similar{Measure: "jaccard", Left: people(t, rows...), Least: .5})
	assert.InDeltaMapValues(t, want, got, 1e-6)
	assert.Greater(t, len(want), 30)
	// A record that is listed twice, or in two blocks, is one record, and no pair with itself.
	// 1/√(1 + (1 + ln(3/2))²) is the cosine of two records.
	for _, rows := range [][]string{
		{"a|x y|1", "a|x y|1", "a|x y|2", "b|x|2"},
		{"a|x y|1", "b|x|1", "b|x|2", "a|x y|2"},
		{"a|x y|1", "a|x y|2", "b|x|1", "b|x|2"},
	} {
		got = pairs(t, facts.Similar{Measure: "tf-idf", Left: people(t, rows...), Least: .1})
		assert.InDeltaMapValues(t, map[string]float64{"a-b": 1 / math.Hypot(1, 1+math.Log(3./2))}, got, 1e-6, rows)
	}
}

// TestSimilarRefuses: what cannot be meant.
func TestSimilarRefuses(t *testing.T) {
	good := people(t, "a|b")
	for want, s := range map[string]facts.Similar{
		`no measure "soundex"`:  {Measure: "soundex", Left: good, Least: .5},
		"need a left source":    {Measure: "jaccard", Least: .5},
		"least similarity is 0": {Measure: "jaccard", Left: good},
		"1 column, want the id": {Measure: "jaccard", Left: &facts.Source{Format: "csv", Separator: '|', Path: good.Path, Columns: facts.Named("id")}, Least: .5},
		`p.csv:3:1: id: "a" has another text before: "b" and "c"; give`: {Measure: "jaccard", Left: people(t, "a|b", "a|c"), Least: .5},
		"no column \"name\"": {Measure: "jaccard", Left: &facts.Source{Format: "csv", Separator: '|', Path: good.Path, Columns: facts.Named("id", "name")}, Least: .5},
	} {
		src := facts.Source{Format: "similar", Similar: &s}
		err := src.Read(context.Background(), 2, func(*facts.Row) error { return nil })
		assert.ErrorContains(t, err, want)
	}
	err := (&facts.Source{Format: "similar"}).Read(context.Background(), 2, func(*facts.Row) error { return nil })
	assert.ErrorContains(t, err, "need a left source")
}
