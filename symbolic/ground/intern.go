package ground

import "strconv"

// maxNumber bounds the number of constants and of atoms of one predicate, so
// that both, and twice as many hash slots, are numbered by an int32.
const maxNumber = 1 << 29

// interner numbers constants in the order in which they first appear.
type interner struct {
	ids   map[string]int32
	names []string
}

func (in *interner) id(name string) int32 {
	if id, ok := in.ids[name]; ok {
		return id
	}
	if in.ids == nil {
		in.ids = map[string]int32{}
	}
	id := int32(len(in.names))
	in.ids[name] = id
	in.names = append(in.names, name)
	return id
}

// before orders constants: as numbers where both are integers, otherwise, or
// when asText is true, by their bytes.
func before(a, b string, asText bool) bool {
	if !asText {
		x, errX := strconv.ParseInt(a, 10, 64)
		y, errY := strconv.ParseInt(b, 10, 64)
		if errX == nil && errY == nil {
			return x < y
		}
	}
	return a < b
}
