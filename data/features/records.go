package features

import (
	"context"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"hinge/symbolic/facts"
	"hinge/symbolic/psl"
)

// Encoding is how the columns of a source become features: a column of numbers one feature, a
// column of categories one a category, of which that of the row is 1 and the others are 0.
type Encoding struct{ Columns []Column }

// Column is a column of a source. Categories are sorted; there are none of numbers.
type Column struct {
	Name       string
	Categories []string
}

// Width is the number of features.
func (e *Encoding) Width() int {
	n := 0
	for _, c := range e.Columns {
		n += max(len(c.Categories), 1)
	}
	return n
}

// Numbers reports of each feature whether it is a number, not one of the categories of a column.
func (e *Encoding) Numbers() []bool {
	list := make([]bool, 0, e.Width())
	for _, c := range e.Columns {
		for range max(len(c.Categories), 1) {
			list = append(list, len(c.Categories) == 0)
		}
	}
	return list
}

// ReadRecords reads features from the columns of a source: the first fields name the entity, the
// others are features. Columns that are keys of categories, and those with texts that are no
// numbers, have categories: those listed there, or if there are none the texts of the column. Such a text is an error
// where the column is no key and most of its rows, or of its different texts, seem to be numbers, 1,5 and 12 % among
// them, NA and other signs of a missing value aside. With known, the columns are encoded as there. A category that is not
// listed or known is an error. The table's Encoding says what became of the columns.
func ReadRecords(ctx context.Context, src *facts.Source, fields int, categories map[string][]string, known *Encoding) (*Table, error) {
	fields = max(fields, 1)
	width := len(src.Columns) - fields
	if known != nil && len(known.Columns) != width {
		return nil, fmt.Errorf("%s: %s of features, the network takes %d", src.Name(), psl.Count(width, "column"), len(known.Columns))
	}
	if width < 1 {
		return nil, fmt.Errorf("%s: %s, want %d of the entity and at least one of features", src.Name(), psl.Count(len(src.Columns), "column"), fields)
	}
	for name := range categories {
		if !slices.ContainsFunc(src.Columns[fields:], func(c facts.Column) bool { return c.Name == name }) {
			return nil, fmt.Errorf("%s: the categories %q are no column of features", src.Name(), name)
		}
	}
	t := &Table{index: map[string]int32{}, source: src.Name()}
	var texts []string          // [rows][width]
	odd := make([]error, width) // for the first text of each column that is no number
	err := src.Read(ctx, len(src.Columns), func(r *facts.Row) error {
		name := strings.Join(r.Args[:fields], "\t")
		if !t.add(strings.Clone(name), t.rows) {
			return r.Fail(fmt.Sprintf("the entity %q occurs twice", name))
		}
		for i, text := range r.Args[fields:] {
			listed, named := categories[src.Columns[fields+i].Name]
			c := Column{Categories: listed}
			if known != nil {
				c = known.Columns[i]
			}
			switch {
			case known != nil || len(c.Categories) > 0:
				if err := c.check(text); err != nil {
					return r.FailAt(fields+i, err.Error())
				}
			case named: // any text is a category
			case odd[i] == nil && !finite(text):
				odd[i] = r.FailAt(fields+i, c.check(text).Error()+`, as most texts of the column seem to be: mend it (1.5, not 1,5 or 1.5 kg; a number of days, not a date), or list the column in "categories"`)
			}
			texts = append(texts, strings.Clone(text))
		}
		t.rows++
		return nil
	})
	if err != nil {
		return nil, err
	}
	if t.rows == 0 {
		return nil, &facts.Error{Source: src.Name(), Msg: "there are no features"}
	}
	if t.Encoding = known; known == nil {
		if t.Encoding, err = t.encoding(src.Columns[fields:], texts, categories, odd); err != nil {
			return nil, err
		}
	}
	t.Shape = []int{t.Encoding.Width()}
	for i, text := range texts {
		t.values = t.Encoding.Columns[i%width].encode(t.values, text)
	}
	return t, nil
}

// encoding looks at all texts of the columns; odd is not nil for those with a text that is no number.
func (t *Table) encoding(columns []facts.Column, texts []string, categories map[string][]string, odd []error) (*Encoding, error) {
	e := &Encoding{}
	for k, column := range columns {
		listed, named := categories[column.Name]
		c := Column{Name: column.String(), Categories: slices.Clone(listed)}
		if len(listed) == 0 && (named || odd[k] != nil) {
			for i := k; i < len(texts); i += len(columns) {
				c.Categories = append(c.Categories, texts[i])
			}
		}
		rows := c.Categories
		c.Categories = slices.Compact(slices.Sorted(slices.Values(rows)))
		switch {
		case named:
		case odd[k] != nil && (mostNumbers(rows) || mostNumbers(c.Categories)):
			return nil, odd[k]
		case odd[k] == nil:
			if err := fits(texts, k, len(columns)); err != nil {
				return nil, &facts.Error{Source: t.source, Err: fmt.Errorf("%s: %w", c.Name, err)}
			}
		}
		e.Columns = append(e.Columns, c)
	}
	return e, nil
}

// missing are the texts that pandas reads as a missing value.
var missing = strings.Fields("#N/A #NA -1.#IND -1.#QNAN -NaN -nan 1.#IND 1.#QNAN <NA> N/A NA NULL NaN None n/a nan null")

// mostNumbers reports whether all texts are missing values, or more than half of the others are dates or times, or
// are numbers, or would be without a unit and what spreadsheets write into them: commas, apostrophes, spaces,
// brackets, percent and currency signs, or the sign − for -. The numbers with a unit have the most frequent one.
func mostNumbers(texts []string) bool {
	units, most, all := map[string]int{}, 0, 0
	for _, text := range texts {
		if slices.Contains(missing, text) {
			continue
		}
		all++
		text = date().ReplaceAllString(text, "0")
		text = strings.Map(func(r rune) rune {
			if strings.ContainsRune(",'’()%−", r) || unicode.In(r, unicode.Zs, unicode.Sc) {
				return -1
			}
			return r
		}, text)
		number := strings.TrimRightFunc(text, func(r rune) bool { return r < '0' || r > '9' })
		_, err := psl.Float(number, 32)
		if unit := text[len(number):]; err == nil || errors.Is(err, strconv.ErrRange) { // one that is too large is a number
			if units[unit]++; unit != "" {
				most = max(most, units[unit])
			}
		}
	}
	return all == 0 || 2*(units[""]+most) > all
}

// months are their names and abbreviations, English ones first, and as dates have them in other languages of Europe.
//
//nolint:misspell // not all are English
const months = `jan january januar januari jänner janv janvier enero ene gennaio gen janeiro feb february februar februari feber févr février fevrier febrero febbraio fev fevereiro ` +
	`mar march märz mär mrz mars marzo março maart mrt apr april avr avril abr abril aprile may mai mei maj mayo mag maggio maio jun june juni juin junio giugno giu junho ` +
	`jul july juli juil juillet julio luglio lug julho aug august augustus augusti août aout agosto ago sep sept september septembre septiembre setiembre settembre set setembro ` +
	`oct okt october oktober octobre octubre ottobre ott outubro out nov november novembre noviembre novembro dec dez des december dezember desember déc décembre decembre dic diciembre dicembre dezembro ` +
	`marts stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia ledna února března dubna května června července srpna září října listopadu prosince ` +
	`января февраля марта апреля мая июня июля августа сентября октября ноября декабря ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık ` +
	`січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня ianuarie februarie martie aprilie iunie iulie septembrie octombrie noiembrie decembrie ` +
	`tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesäkuuta heinäkuuta elokuuta syyskuuta lokakuuta marraskuuta joulukuuta`

// date is a day, with or without a time, or a time of day. The month may be one of months; a word that is none makes no date.
var date = sync.OnceValue(func() *regexp.Regexp {
	const day = `(0?[1-9]|[12]\d|3[01])`
	month := `(de )?(?i:` + strings.ReplaceAll(months, " ", "|") + `)[-/., ]*(del? )?`
	// Behind a day there may be a time or a day of the week, behind a time its zone; other words make a text of it.
	const rest = `([T :,(]+(\d|((?i:at|um|à|[ap]\.?m|noon|uhr|hrs?|h|r|(mon|tues?|wed(nes)?|thu(rs)?|fri|sat(ur)?|sun)(day)?|utc|gmt)|[A-Z]{1,3}[SD]?T)(\PL|$)).*)?$`
	return regexp.MustCompile(`^(\pL+\.?, *)?(\d{4}[-/.]` + day + `[-/.]` + day + `|` + day + `[-/.]` + day + `[-/.]\d{4}|\d\d?:\d\d|` +
		day + `(\pL\pL|º)?[-/. ]*` + month + `(\d{4}|\d\d)|\d{4}[-/. ]+` + month + day + `|` + month + day + `(\pL\pL)?[-/., ]+\d{4})` + rest)
})

// Networks compute in single precision, which rounds by up to rounding of a number; as much of the range of
// a column's numbers is allowed to be lost. Squares of narrowest and widest ranges are such numbers still.
const (
	rounding          = 0x1p-24
	lost              = 1e-2
	narrowest, widest = 1e-16, 1e18
)

// fits is an error for a column of numbers, each step-th text from the first on, that single precision blurs.
func fits(texts []string, first, step int) error {
	low, high := math.Inf(1), math.Inf(-1)
	for i := first; i < len(texts); i += step {
		v, _ := psl.Float(texts[i], 64)
		low, high = min(low, v), max(high, v)
	}
	switch spread := high - low; {
	case spread == 0:
	case spread < narrowest || spread > widest:
		return fmt.Errorf("the numbers from %g to %g are too near or too far for single precision, in which networks compute: use another unit", low, high)
	case max(-low, high)*rounding > lost*spread:
		return fmt.Errorf("single precision, in which networks compute, hardly tells the numbers from %g to %g apart: subtract what they have in common", low, high)
	}
	return nil
}

// check is an error for a text that the column does not have.
func (c *Column) check(text string) error {
	if len(c.Categories) > 0 {
		if !slices.Contains(c.Categories, text) {
			return fmt.Errorf("%q is none of the %d categories", text, len(c.Categories))
		}
		return nil
	}
	if !finite(text) {
		return fmt.Errorf("%q is not a finite number that single precision holds", text)
	}
	return nil
}

// finite reports whether a text is a finite number of single precision.
func finite(text string) bool {
	v, err := psl.Float(text, 32)
	return err == nil && !math.IsNaN(v) && !math.IsInf(v, 0)
}

// encode appends the features of a text that was checked.
func (c *Column) encode(to []float32, text string) []float32 {
	if len(c.Categories) == 0 {
		v, _ := psl.Float(text, 32)
		return append(to, float32(v))
	}
	at, _ := slices.BinarySearch(c.Categories, text)
	for i := range c.Categories {
		v := float32(0)
		if i == at {
			v = 1
		}
		to = append(to, v)
	}
	return to
}
