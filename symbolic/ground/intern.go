package ground

import "strings"

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
	name = strings.Clone(name) // it may be a part of a line, which would stay in memory
	id := int32(len(in.names))
	in.ids[name] = id
	in.names = append(in.names, name)
	return id
}
