package kernel

// Every product has a slot. Slots are ordered by the pair of forms, one of the rows and one of
// the columns, and then by the tile, one segment of the rows and one of the columns. Three
// pixels have one form less than four, so slots may be empty. The order makes the tiles of a
// pair of forms neighbours.
type slots struct {
	h, w   scheme
	order  []int // of the tiles, row by row
	filled []span
}

// maxTiles is the largest number of tiles.
const maxTiles = 4

// span is a range of slots.
type span struct{ first, n int }

func newSlots(h, w scheme) slots {
	s := slots{h: h, w: w, order: []int{0, 1, 2, 3}[:len(h.segments)*len(w.segments)]}
	if len(s.order) == maxTiles {
		s.order = []int{1, 2, 0, 3} // round the map
	}
	for i := range h.g {
		for j := range w.g {
			s.filled = append(s.filled, s.of(i, j))
		}
	}
	return s
}

// of returns the slots of a pair of forms.
func (s *slots) of(i, j int) span {
	first, last := len(s.order), -1
	for th, h := range s.h.segments {
		for tw, w := range s.w.segments {
			if i >= h.form && j >= w.form {
				o := s.order[th*len(s.w.segments)+tw]
				first, last = min(first, o), max(last, o)
			}
		}
	}
	at := (i*len(s.w.g) + j) * len(s.order)
	if last < 0 {
		return span{at, 0}
	}
	return span{at + first, last - first + 1}
}

// walk visits the slots of a tile: for each form of the rows, the forms of the columns.
func (s *slots) walk(th, tw int) walk {
	h, w := s.h.segments[th].form, s.w.segments[tw].form
	tiles, across := len(s.order), len(s.w.g)
	return walk{(h*across+w)*tiles + s.order[th*len(s.w.segments)+tw], across * tiles, tiles}
}

// count is the number of slots.
func (s *slots) count() int { return len(s.h.g) * len(s.w.g) * len(s.order) }

// spread returns the transform from pixels to slots, by B or, with grad, by A.
func spread[T Float](s *slots, grad bool) transform[T] {
	pick := func(g segment) (kind lineKind, m [][]float64, at int) {
		if grad {
			return g.grad, g.a, g.at
		}
		return g.in, g.b, g.from
	}
	height, width := s.h.length(), s.w.length()
	across := len(s.w.segments) * len(s.w.g) // mid blocks of a line
	t := transform[T]{mid: height * across}
	for tw, w := range s.w.segments {
		kind, m, at := pick(w)
		to := tw * len(s.w.g)
		t.first = append(t.first, pass[T]{newLineMap[T](kind, m), height, walk{at, 1, width}, walk{to, 1, across}})
		for th, h := range s.h.segments {
			kind, m, at := pick(h)
			t.second = append(t.second, pass[T]{newLineMap[T](kind, m), len(w.b), walk{at*across + to, across, 1}, s.walk(th, tw)})
		}
	}
	return t
}

// gather returns the transform from slots to pixels, by Aᵀ.
func gather[T Float](s *slots) transform[T] {
	height, width := s.h.length(), s.w.length()
	across := len(s.w.segments) * len(s.w.g)
	t := transform[T]{mid: height * across}
	for tw, w := range s.w.segments {
		mid := tw * len(s.w.g)
		for th, h := range s.h.segments {
			t.first = append(t.first, pass[T]{newLineMap[T](h.out, transposed(h.a)), len(w.b), s.walk(th, tw), walk{h.at*across + mid, across, 1}})
		}
		t.second = append(t.second, pass[T]{newLineMap[T](w.out, transposed(w.a)), height, walk{mid, 1, across}, walk{w.at, 1, width}})
	}
	return t
}

// forms returns the transform from taps, perhaps in reverse order, to pairs of
// forms, by G.
func forms[T Float](s *slots, reverse bool) transform[T] {
	from := walk{0, 1, 3}
	if reverse {
		from = walk{8, -1, -3}
	}
	across := len(s.w.g)
	return transform[T]{
		first:  []pass[T]{{newLineMap[T](s.w.taps, s.w.g), 3, from, walk{0, 1, across}}},
		second: []pass[T]{{newLineMap[T](s.h.taps, s.h.g), across, walk{0, across, 1}, walk{0, across, 1}}},
		mid:    3 * across,
	}
}

// taps returns the transform from pairs of forms to taps, by Gᵀ.
func taps[T Float](s *slots) transform[T] {
	across := len(s.w.g)
	return transform[T]{
		first:  []pass[T]{{newLineMap[T](s.h.tapGrad, transposed(s.h.g)), across, walk{0, across, 1}, walk{0, across, 1}}},
		second: []pass[T]{{newLineMap[T](s.w.tapGrad, transposed(s.w.g)), 3, walk{0, 1, across}, walk{0, 1, 3}}},
		mid:    3 * across,
	}
}

func transposed(m [][]float64) [][]float64 {
	t := make([][]float64, len(m[0]))
	for i := range t {
		for _, row := range m {
			t[i] = append(t[i], row[i])
		}
	}
	return t
}
