package nn

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// Taken lists what a network took from the tensors of another program. Except in LeftOver, the
// names are the network's names of parameters and buffers.
type Taken struct {
	// Prefix is the beginning of the tensors' names that the network's names do not have, such
	// as "module.".
	Prefix string
	// Matched have the values of the tensors; of Summed among them the filters are for
	// another number of input channels.
	Matched, Summed []string
	// Missing have no tensor, Differ one of another shape, with a text about it. Both keep
	// their values.
	Missing, Differ []string
	// LeftOver are the tensors that the network has no parameter for.
	LeftOver []string
}

// String is a line for every kind of parameters that there are.
func (t Taken) String() string {
	lines := []string{fmt.Sprintf("%d of %d tensors taken", len(t.Matched), len(t.Matched)+len(t.Missing)+len(t.Differ))}
	if t.Prefix != "" {
		lines[0] += fmt.Sprintf(", whose names begin with %q", t.Prefix)
	}
	for _, part := range []struct {
		what  string
		names []string
	}{
		{"filters made to fit the number of input channels", t.Summed},
		{"shape differs, left as drawn", t.Differ},
		{"missing, left as drawn", t.Missing},
		{"left over", t.LeftOver},
	} {
		if len(part.names) > 0 {
			lines = append(lines, part.what+": "+abbreviate(part.names))
		}
	}
	return strings.Join(lines, "\n")
}

// abbreviate lists some names and the number of the others.
func abbreviate(names []string) string {
	const most = 6
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// counter is a buffer of PyTorch's batch normalisation that does not affect its outputs.
const counter = "num_batches_tracked"

// Adopt overwrites parameters and buffers with the tensors of the same name and shape. The
// others keep their values, such as the head for other classes. The names of the tensors may
// all begin with a prefix that the network's do not have. Adopt finds it: name and a point if
// any tensor is found so (for one of several networks in a file), otherwise what finds most.
//
// Filters for three colours become filters for a grey image by their sum, which gives three
// equal channels the same outputs; filters for a grey image become filters for three
// channels by taking a third each. It is an error if no tensor fits.
func (ps *Params[T]) Adopt(name string, tensors []Tensor[T]) (Taken, error) {
	var t Taken
	given := make(map[string]Tensor[T], len(tensors))
	for _, x := range tensors {
		given[x.Name] = x
	}
	t.Prefix = ps.prefix(name, given)
	type change struct {
		param *Param[T]
		data  []T
	}
	var changes []change
	for _, p := range ps.list {
		x, ok := given[t.Prefix+p.Name]
		delete(given, t.Prefix+p.Name)
		data := x.Data
		switch {
		case !ok:
			t.Missing = append(t.Missing, p.Name)
			continue
		case size(x.Shape) != len(x.Data):
			return t, fmt.Errorf("nn: tensor %q has %d numbers for shape %v", x.Name, len(x.Data), x.Shape)
		case !slices.Equal(p.Shape, x.Shape):
			if data = otherChannels(x, p.Shape); data == nil {
				t.Differ = append(t.Differ, fmt.Sprintf("%s %v, not %v", p.Name, p.Shape, x.Shape))
				continue
			}
			t.Summed = append(t.Summed, p.Name)
		}
		t.Matched = append(t.Matched, p.Name)
		changes = append(changes, change{p, data})
	}
	for _, x := range tensors {
		if _, left := given[x.Name]; left && !strings.HasSuffix(x.Name, counter) {
			t.LeftOver = append(t.LeftOver, x.Name)
		}
	}
	if len(t.Matched) == 0 {
		var own, other []string
		for _, p := range ps.list {
			own = append(own, fmt.Sprint(p.Name, " ", p.Shape))
		}
		for _, x := range tensors {
			other = append(other, fmt.Sprint(x.Name, " ", x.Shape))
		}
		return t, fmt.Errorf("nn: no tensor has the name and the shape of a parameter: the network has %s; given are %s", abbreviate(own), abbreviate(other))
	}
	for _, c := range changes {
		c.param.StorageOrder(c.param.Value, c.data)
	}
	return t, nil
}

// prefix returns name and a point if a parameter is found with it, otherwise the beginning of tensor
// names with which most parameters are found, of equally good ones the shortest.
func (ps *Params[T]) prefix(name string, given map[string]Tensor[T]) string {
	fits := map[string]int{}
	for _, p := range ps.list {
		for full := range given {
			if rest, ok := strings.CutSuffix(full, p.Name); ok && (rest == "" || strings.HasSuffix(rest, ".")) {
				fits[rest]++
			}
		}
	}
	if own := name + "."; fits[own] > 0 {
		return own
	}
	best := ""
	for prefix, n := range fits {
		if m := fits[best]; n > m || n == m && (len(prefix) < len(best) || len(prefix) == len(best) && prefix < best) {
			best = prefix
		}
	}
	return best
}

// otherChannels converts filters for one input channel to filters for three, or the reverse;
// nil if the shapes differ in something else.
func otherChannels[T Float](x Tensor[T], want []int) []T {
	if len(want) != 4 || len(x.Shape) != 4 || want[0] != x.Shape[0] || !slices.Equal(want[2:], x.Shape[2:]) {
		return nil
	}
	from, to, area := x.Shape[1], want[1], want[2]*want[3]
	if from*to != 3 {
		return nil
	}
	out := make([]T, size(want))
	for o := range want[0] {
		for i := range max(from, to) {
			for k := range area {
				out[(o*to+i%to)*area+k] += x.Data[(o*from+i%from)*area+k] / T(to)
			}
		}
	}
	return out
}

// Named returns the parameters and buffers that match a pattern: * matches any characters, ?
// one character, and a name without its last parts everything below it ("layer1" matches
// "layer1.0.conv1.weight"). With the name of one of several networks, not "", the names match with and
// without it and a point before them. A pattern without a match or with a syntax error is an error.
func (ps *Params[T]) Named(network, pattern string) ([]*Param[T], error) {
	var list []*Param[T]
	var names []string
	// A slash, which names of ONNX have, is a character as any other here; path.Match stops at it.
	character := strings.NewReplacer("/", "\x00").Replace
	for _, p := range ps.list {
		full := strings.TrimPrefix(network+"."+p.Name, ".")
		names = append(names, full)
		fits := false
		for _, name := range []string{p.Name, full} {
			for _, pattern := range []string{pattern, pattern + ".*"} {
				fit, err := path.Match(character(pattern), character(name))
				if err != nil {
					return nil, fmt.Errorf("nn: the pattern %q cannot be read: %w", pattern, err)
				}
				fits = fits || fit
			}
		}
		if fits {
			list = append(list, p)
		}
	}
	if list == nil {
		return nil, fmt.Errorf("nn: the pattern %q fits no parameter; there are %s", pattern, abbreviate(names))
	}
	return list, nil
}

// Freeze keeps the parameters and buffers of a pattern (see Named) as they are, in graphs
// that are built afterwards. A batch normalisation with frozen running statistics
// normalises by them in training too.
func (ps *Params[T]) Freeze(network, pattern string) error {
	list, err := ps.Named(network, pattern)
	for _, p := range list {
		p.Frozen, p.Trainable = true, false
	}
	return err
}

// SetRate has the parameters of a pattern (see Named) learn by a factor, above 0, of the
// learning rate.
func (ps *Params[T]) SetRate(network, pattern string, factor float64) error {
	if !(factor > 0) || factor > maxRate {
		return fmt.Errorf("nn: %v is no factor of a learning rate above 0 and up to %v", factor, float64(maxRate))
	}
	list, err := ps.Named(network, pattern)
	for _, p := range list {
		p.Rate = factor
	}
	return err
}

const maxRate = 1e6
