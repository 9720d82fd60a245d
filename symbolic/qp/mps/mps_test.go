package mps_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/symbolic/qp"
	"hinge/symbolic/qp/mps"
)

func ExampleRead() {
	p, err := mps.Read(strings.NewReader(`NAME  TINY
ROWS
 N  COST
 G  R1
COLUMNS
 X  COST  1  R1  1
 Y  COST  2  R1  1
RHS
 RHS  R1  1
QUADOBJ
 X  X  2
ENDATA
`), "tiny.qps")
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := qp.Solve(&p.Problem, qp.Settings{})
	fmt.Println(p.Name, p.Columns, p.Rows, err)
	fmt.Printf("%s = %.3f, %s = %.3f, value %.3f\n", p.Columns[0], r.X[0], p.Columns[1], r.X[1], r.Residual.Value)
	// Output:
	// TINY [X Y] [R1] <nil>
	// X = 0.500, Y = 0.500, value 1.750
}

// all has every section and every kind of side and bound.
const all = `* a comment
NAME          ALL
OBJSENSE
    MAX
ROWS
 N  COST
 N  OTHER
 E  EQ
 E  EQUP
 E  EQDOWN
 L  LE
 L  LERANGE
 G  GE
 G  GERANGE
COLUMNS
    A         COST         1.5   EQ           1.0
    A         OTHER        7.0   LE          -2.0
    B         COST        -1.0   GE         1.D+1
    B         EQUP         1.0   EQDOWN       1.0
    C         LERANGE      1.0   GERANGE      1.0
    D         EQ           4
    E         EQ           5
    F         EQ           6
    G         EQ           7
RHS
    RHS       EQ           1.0   EQUP         2.0
    RHS       EQDOWN       3.0   LE           4.0
    RHS       LERANGE      5.0   GE           6.0
    RHS       GERANGE      7.0   COST        10.0
RANGES
    RNG       EQUP         0.5   EQDOWN      -0.5
    RNG       LERANGE      2.0   GERANGE      2.0
BOUNDS
 UP BND       A            4.0
 LO BND       B           -1.0
 FX BND       C            2.5
 FR BND       D
 MI BND       E
 UP BND       F           -1.0
 PL BND       G
 LO BND       G           -1e30
QMATRIX
    A         A           -2.0
    A         B           -0.5
    B         A           -0.5
    B         B           -1.0
ENDATA
this is not read
`

func TestRead(t *testing.T) {
	p, err := mps.Read(strings.NewReader(all), "all.qps")
	require.NoError(t, err)
	inf := math.Inf(1)
	assert.True(t, p.Maximise)
	assert.Equal(t, "ALL", p.Name)
	assert.Equal(t, []string{"A", "B", "C", "D", "E", "F", "G"}, p.Columns)
	assert.Equal(t, []string{"EQ", "EQUP", "EQDOWN", "LE", "LERANGE", "GE", "GERANGE"}, p.Rows)
	assert.Equal(t, qp.Problem{
		P: []float64{2, 1, 0, 0, 0, 0, 0}, Q: []float64{-1.5, 1, 0, 0, 0, 0, 0}, R: 10,
		HPtr: []int32{0, 0, 1, 1, 1, 1, 1, 1}, HCol: []int32{0}, HVal: []float64{0.5},
		Ptr: []int32{0, 5, 6, 7, 8, 9, 10, 11}, Col: []int32{0, 3, 4, 5, 6, 1, 1, 0, 2, 1, 2},
		Val: []float64{1, 4, 5, 6, 7, 1, 1, -2, 1, 10, 1},
		Low: []float64{1, 2, 2.5, -inf, 3, 6, 7}, High: []float64{1, 2.5, 3, 4, 5, inf, 9},
		Lower: []float64{0, -1, 2.5, -inf, -inf, -inf, -inf}, Upper: []float64{4, inf, 2.5, inf, inf, -1, inf},
	}, addZero(p.Problem))
}

// addZero makes −0 0.
func addZero(p qp.Problem) qp.Problem {
	for i := range p.P {
		p.P[i], p.Q[i] = p.P[i]+0, p.Q[i]+0
	}
	return p
}

// A triangle of the Hessian may be the lower or the upper one; sets need no name, and the
// sense may stand on the line of its section.
func TestForms(t *testing.T) {
	read := func(quad string) *mps.Program {
		t.Helper()
		p, err := mps.Read(strings.NewReader("NAME\nOBJSENSE MIN\nROWS\n N C\n L R\nCOLUMNS\n X C 1 R 1\n Y C 1 R 1\nRHS\n R 3\nBOUNDS\n UP X 2\n FR Y\n"+quad+"ENDATA\n"), "f")
		require.NoError(t, err)
		return p
	}
	lower := read("QUADOBJ\n X X 2\n Y X 1\n Y Y 2\n")
	assert.Equal(t, lower, read("QSECTION\n X X 2\n X Y 1\n Y Y 2\n"))
	assert.Equal(t, lower, read("QMATRIX\n X X 2\n X Y 1\n Y X 1\n Y Y 2\n"))
	assert.Equal(t, []float64{3}, lower.High)
	assert.Equal(t, []float64{2, math.Inf(1)}, lower.Upper)
	assert.Nil(t, read("").HPtr)
}

// Every mistake is an error with its place.
func TestRefused(t *testing.T) {
	const head = "ROWS\n N C\n L R\nCOLUMNS\n X C 1 R 1\n" // 5 lines
	for text, want := range map[string]string{
		"":                               "f:0: the file ends without ENDATA",
		head + "ENDATA\n":                "",
		head:                             "f:5: the file ends without ENDATA",
		"ROWS\n N C\nENDATA\n":           "f:3: there are no variables",
		"FOO\n":                          "f:1:1: section FOO is none of NAME, ",
		" N C\n":                         "f:1:2: N is in no section",
		"OBJSENSE\n UP\n":                "f:2:2: UP is neither MAX nor MIN",
		"ROWS\n N C D\n":                 "f:2:2: a line of ROWS has a kind and a name, this one 3 fields",
		"ROWS\n L R\n L R\n":             "f:3:4: row R is there already",
		"ROWS\n X R\n":                   "f:2:2: kind X is none of N, L, G, E",
		head + " Y R one\n":              "f:6:6: one is not a number",
		head + " Y R nan\n":              "f:6:6: nan is not a number",
		head + " Y S 1\n":                "f:6:4: there is no row S",
		head + " Y R\n":                  "f:6:2: a line of COLUMNS has a name and one or two rows",
		head + " X  R  2\nENDATA\n":      "f:6:5: a second number of row and variable, after line 5",
		head + " M 'MARKER' 'INTORG'\n":  "f:6:4: integer variables are not solved here",
		head + "RHS\n S R 1\n T R 2\n":   "f:8:2: set T of RHS is the second one, after S",
		head + "RHS\n R\n":               "f:7:2: a line of RHS has one or two rows",
		head + "RANGES\n C 1\n":          "f:7:2: the objective has no range",
		head + "RHS\n R -1e20\nENDATA\n": "f: row R is to be between -Inf and -Inf",
		head + "BOUNDS\n XX X 1\n":       "f:7:2: bound XX is none of UP, LO, FX, FR, MI, PL",
		head + "BOUNDS\n BV X\n":         "f:7:2: integer variables are not solved here",
		head + "BOUNDS\n UP X\n":         "f:7:2: a bound UP does not have 1 fields behind it",
		head + "BOUNDS\n UP Y 1\n":       "f:7:5: there is no variable Y",
		head + "BOUNDS\n LO X 2\n UP X 1\nENDATA\n":        "f:8: variable X is to be between 2 and 1",
		head + "QUADOBJ\n X X\n":                           "f:7:2: a line of QUADOBJ has two variables and a number",
		head + "QUADOBJ\n X Y 1\n":                         "f:7:4: there is no variable Y",
		head + "QUADOBJ\n X X 1\n X X 1\nENDATA\n":         "f:8:2: a second number of two variables, after line 7",
		head + "QUADOBJ\n X X 1\nQMATRIX\n X X 1\n":        "f:9:2: QMATRIX stands beside QUADOBJ or QSECTION",
		head + " Y C 1\nQMATRIX\n X Y 1\n Y X 2\nENDATA\n": "f:8:2: QMATRIX is not symmetric: 1 here, 2 for Y and X",
	} {
		_, err := mps.Read(strings.NewReader(text), "f")
		if want == "" {
			assert.NoError(t, err)
			continue
		}
		if strings.HasPrefix(want, "f:0") {
			want = "f" + want[3:]
		}
		if place := new(mps.Error); !errors.As(err, &place) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// FuzzRead: no file makes it panic, and what is read is a problem that can be checked.
func FuzzRead(f *testing.F) {
	f.Add(all)
	f.Fuzz(func(t *testing.T, text string) {
		p, err := mps.Read(strings.NewReader(text), "f")
		if err == nil && (len(p.Columns) != len(p.P) || len(p.Rows) != len(p.Low) || len(p.Ptr) != len(p.Low)+1) {
			t.Errorf("%d names for %d variables, %d for %d rows", len(p.Columns), len(p.P), len(p.Rows), len(p.Low))
		}
	})
}
