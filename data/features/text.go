package features

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"hinge/data/npy"
	"hinge/symbolic/facts"
	"hinge/symbolic/psl"
)

// readText reads lines of an entity and its numbers.
func readText(path string, in *bufio.Reader, o *Options) (*Table, error) {
	t := &Table{index: map[string]int32{}}
	var fields []string
	width := -1
	lines := facts.NewLines(path, in)
	err := lines.Next()
	for ; err == nil; err = lines.Next() {
		fail := func(field int, format string, args ...any) (*Table, error) {
			return nil, lines.Fail(field, fmt.Sprintf(format, args...))
		}
		fields = lines.Fields(fields[:0], 0)
		if len(fields) < o.Fields {
			return fail(-1, "the line has %s, the entity alone has %d (fields are separated by tabs)", psl.Count(len(fields), "field"), o.Fields)
		}
		name, numbers := strings.Join(fields[:o.Fields], "\t"), fields[o.Fields:]
		if o.Labelled && len(numbers) > 0 {
			numbers = numbers[:len(numbers)-1]
		}
		if width < 0 {
			width = len(numbers)
		}
		switch {
		case len(numbers) == 0:
			return fail(-1, "the line has no features (fields are separated by tabs)")
		case len(numbers) != width:
			return fail(-1, "the line has %s, the first line has %d", psl.Count(len(numbers), "feature"), width)
		case !t.add(name, t.rows):
			return fail(-1, "the entity %q occurs twice", name)
		}
		for i, field := range numbers {
			v, err := psl.Float(field, 32)
			if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
				return fail(o.Fields+i, "feature %d is %q, want a finite number that single precision holds", i+1, field)
			}
			if math.Abs(v) >= 1<<24 {
				whole, rest, _ := strings.Cut(field, ".")
				if n, err := strconv.ParseInt(whole, 10, 64); err == nil && strings.Trim(rest, "0") == "" && !npy.Holds(n) {
					return fail(o.Fields+i, "feature %d: single precision does not hold the whole number %d: subtract what the numbers have in common, or write it as %g", i+1, n, v)
				}
			}
			t.values = append(t.values, float32(v))
		}
		t.rows++
	}
	if err != io.EOF {
		return nil, err
	}
	if t.rows == 0 {
		return nil, &facts.Error{Source: path, Msg: "the file has no features"}
	}
	t.Shape = []int{width}
	return t, nil
}
