package features

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/symbolic/facts"
)

// people is a CSV source with the columns that are named.
func people(t *testing.T, text string, columns ...string) *facts.Source {
	t.Helper()
	return &facts.Source{Format: "csv", Path: write(t, t.TempDir(), "people.csv", []byte(text)), Columns: facts.Named(columns...)}
}

// TestReadRecords: numbers as they are, a feature for each category in alphabetical order.
func TestReadRecords(t *testing.T) {
	ctx := context.Background()
	src := people(t, "colour,id,age,zip\nred,a,30,10115\nblue,b,-2.5,80331\nred,c,4e1,10115\n", "id", "age", "colour", "zip")
	table, err := ReadRecords(ctx, src, 1, map[string][]string{"zip": nil}, nil)
	require.NoError(t, err)
	assert.Equal(t, []int{5}, table.Shape)
	assert.Equal(t, []float32{-2.5, 1, 0, 0, 1}, row(t, table, "b"))
	assert.Equal(t, []float32{40, 0, 1, 1, 0}, row(t, table, "c"))
	assert.Equal(t, []bool{true, false, false, false, false}, table.Encoding.Numbers())
	assert.Equal(t, Column{"colour", []string{"blue", "red"}}, table.Encoding.Columns[1])

	// Other rows are encoded as the first ones were.
	later := people(t, "id,age,colour,zip\nd,1,red,80331\n", "id", "age", "colour", "zip")
	other, err := ReadRecords(ctx, later, 1, nil, table.Encoding)
	require.NoError(t, err)
	assert.Equal(t, []float32{1, 0, 1, 0, 1}, row(t, other, "d"))

	// Categories may be listed, and a number may be one; an entity may have two fields.
	listed, err := ReadRecords(ctx, people(t, "a,b,n\nx,y,2\n", "a", "b", "n"), 2, map[string][]string{"n": {"3", "2"}}, nil)
	require.NoError(t, err)
	assert.Equal(t, []float32{1, 0}, row(t, listed, "x", "y"))

	for want, read := range map[string]func() (*Table, error){
		`people.csv:2:5: colour: "green" is none of the 2 categories`: func() (*Table, error) {
			return ReadRecords(ctx, people(t, "id,age,colour,zip\nd,1,green,80331\n", "id", "age", "colour", "zip"), 1, nil, table.Encoding)
		},
		`people.csv:2:3: v: "1e300" is not a finite number that single precision holds, as most`: func() (*Table, error) {
			return ReadRecords(ctx, people(t, "id,v\na,1e300\nb,2\nc,3\n", "id", "v"), 1, nil, nil)
		},
		`people.csv:2:3: age: "old" is not a finite number`: func() (*Table, error) {
			return ReadRecords(ctx, people(t, "id,age,colour,zip\nd,old,red,80331\n", "id", "age", "colour", "zip"), 1, nil, table.Encoding)
		},
		`people.csv:3:1: the entity "d" occurs twice`: func() (*Table, error) {
			return ReadRecords(ctx, people(t, "id,age\nd,1\nd,2\n", "id", "age"), 1, nil, nil)
		},
		`"hue" are no column of features`: func() (*Table, error) {
			return ReadRecords(ctx, people(t, "id,age\nd,1\n", "id", "age"), 1, map[string][]string{"hue": nil}, nil)
		},
		"1 column, want 1 of the entity": func() (*Table, error) {
			return ReadRecords(ctx, people(t, "id,age\nd,1\n", "id"), 1, nil, nil)
		},
		"1 column of features, the network takes 3": func() (*Table, error) {
			return ReadRecords(ctx, people(t, "id,age\nd,1\n", "id", "age"), 1, nil, table.Encoding)
		},
		"there are no features": func() (*Table, error) { return ReadRecords(ctx, people(t, "id,age\n", "id", "age"), 1, nil, nil) },
	} {
		_, err := read()
		assert.ErrorContains(t, err, want)
	}
}

// TestSinglePrecision: columns whose numbers single precision blurs are refused; those around 0 and near it are not.
func TestSinglePrecision(t *testing.T) {
	for numbers, want := range map[string]string{
		"0.1,0.2": "", "1e-9,3e-9": "", "1e15,-1e15": "", "5,5": "", "94110,94111": "", "250000,250009": "", "20240101,20241201": "", "52.5200,52.5209": "", "1700000000,1700000000": "",
		"1700000000,1700000060": "v: single precision, in which networks compute, hardly tells the numbers from 1.7e+09 to 1.70000006e+09 apart: subtract what they have in common",
		"1e20,-1e20":            "v: the numbers from -1e+20 to 1e+20 are too near or too far for single precision, in which networks compute: use another unit",
		"1e-17,3e-17":           "v: the numbers from 1e-17 to 3e-17 are too near or too far",
	} {
		a, b, _ := strings.Cut(numbers, ",")
		_, err := ReadRecords(context.Background(), people(t, "id,v\na,"+a+"\nb,"+b+"\n", "id", "v"), 1, nil, nil)
		if want == "" {
			require.NoError(t, err, numbers)
		} else {
			assert.ErrorContains(t, err, "people.csv: "+want, numbers)
		}
	}
}

// TestMostlyNumbers: a text that is no number is a mistake where most rows or most different texts are numbers, unless
// the column is listed.
func TestMostlyNumbers(t *testing.T) {
	for _, c := range []struct {
		texts      []string
		categories map[string][]string
		width      int // 0 if the column is refused, at its row 3
	}{
		{[]string{"1", "n/a", "3"}, nil, 0},
		{[]string{"1", "inf", "3", "x", "5"}, nil, 0},
		{[]string{"1", "\"1,5\"", "3"}, nil, 0},
		{[]string{"1", "n/a", "3"}, map[string][]string{"v": {}}, 3},
		{[]string{"1", "n/a", "n/a", "3"}, nil, 0},
		{[]string{"a", "n/a", "n/a", "3"}, nil, 3},
		{[]string{"1", "NA", "NA"}, nil, 0}, // pandas 3.1.1 reads 1 and two missing values
		{[]string{"1", "None", "<NA>", "#N/A", "2"}, nil, 0},
		{[]string{"May 6", "June 12", "12 Main Street"}, nil, 3},
		{[]string{"18-25", "26-40", "41"}, nil, 3},
		// dateutil 4.0.0 takes none of these for a date.
		{[]string{"\"12 Main, 4021\"", "7 Mayfair 2020", "3 Market 1999"}, nil, 3},
		{[]string{"1 week 2020", "2 weeks 2020", "45-67-2020"}, nil, 3},
		{[]string{"12:30 Main", "9:15 Club", "2024-05-06 delivery"}, nil, 3},
		{[]string{"12:30 atelier", "9:15 Amour", "2024-05-06 Sunlight"}, nil, 3},
		{[]string{"1st", "2nd", "3rd"}, nil, 3},
		{[]string{"A1", "B2", "1.2.3"}, nil, 3},
		{[]string{"1", "2.5", "3"}, nil, 1},
	} {
		var rows strings.Builder
		for i, text := range c.texts {
			fmt.Fprintf(&rows, "e%d,0,%s\n", i, text)
		}
		table, err := ReadRecords(context.Background(), people(t, "id,w,v\n"+rows.String(), "id", "w", "v"), 1, c.categories, nil)
		if c.width > 0 {
			require.NoError(t, err)
			assert.Equal(t, []int{1 + c.width}, table.Shape)
			continue
		}
		assert.ErrorContains(t, err, fmt.Sprintf("people.csv:3:6: v: %q is not a finite number that single precision holds, as most texts of the column seem to be: mend it (1.5, not 1,5 or 1.5 kg; a number of days, not a date), or list the column in \"categories\"", strings.Trim(c.texts[1], "\"")))
	}
}

// TestSpreadsheetNumbers: numbers with the commas, signs, units and spaces of spreadsheets, dates and times are refused;
// each was a category of its own. pandas 3.1.1 reads the first ones, with decimal=",", as 1.77, 12.5 and -3.
func TestSpreadsheetNumbers(t *testing.T) {
	for _, texts := range [][]string{{"1,77", "12,5", "-3"}, {"1,234.5", "2,000", "7"}, {"12%", "3.5 %", "n/a"}, {"€ 3.50", "$4", "5\u202f000"}, {"1'000", "−3", "(5)"},
		{"1 kg", "2.5kg", "3"}, {"20 °C", "-4 °C", "n/a"}, {"2026-11-30", "2026-12-01 10:30", "x"}, {"30.11.2026", "1.12.2026", "3/12/2026"}, {"08:30", "9:15", "12:00:30"},
		{"1e39", "2e39", "1e400"}, {"6 May 2024", "6. Mai 2024", "13 décembre 2025"}, {"May 6, 2024", "Sept. 12th, 2024", "x"}, {"06-May-24", "07MAY2024", "2024-Jun-01"},
		{"Mon, 6 May 2024 10:00:00 +0200", "Tue, 7 May 2024 11:30", "x"}, {"6 de mayo de 2024", "7. März 24", "8 Dez. 2024"}, {"6 maja 2024", "7 Мая 2024", "8 Mayıs 2024"}, {"6 May 2024 at 10:30", "8:30 PM", "x"},
		{"10:30 UTC", "10:30 CEST", "x"}, {"2024-05-06 Mon", "2024-05-07 (Tue)", "2024-05-08, Wednesday"}, {"14:00 Uhr", "6.5.2024 um 14:00", "2024-05-06 PST"},
		{"6 maja 2024 r.", "6 травня 2024", "1º de maio de 2024"}, {"NA", "NaN", "null"}} {
		src := people(t, fmt.Sprintf("id;v\na;%s\nb;%s\nc;%s\n", texts[0], texts[1], texts[2]), "id", "v")
		src.Separator = ';'
		_, err := ReadRecords(context.Background(), src, 1, nil, nil)
		assert.ErrorContains(t, err, fmt.Sprintf("people.csv:2:3: v: %q is not a finite number that single precision holds, as most", texts[0]))
		table, err := ReadRecords(context.Background(), src, 1, map[string][]string{"v": nil}, nil)
		require.NoError(t, err)
		assert.Equal(t, []int{3}, table.Shape)
	}
}

// Underscores make a text: pandas 3.1.1 reads these ages as texts, too.
func TestUnderscoresAreTexts(t *testing.T) {
	table, err := ReadRecords(context.Background(), people(t, "id,age\na,18_25\nb,26_40\n", "id", "age"), 1, nil, nil)
	require.NoError(t, err)
	assert.Equal(t, []string{"18_25", "26_40"}, table.Encoding.Columns[0].Categories)
	_, err = Read(write(t, t.TempDir(), "f.txt", []byte("a\t18_25\n")), Options{})
	assert.ErrorContains(t, err, `feature 1 is "18_25", want a finite number`)
}
