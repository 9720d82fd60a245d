package kernel

// packing holds the packed operands of one call of a Conv. Convolutions that
// follow one another find the same buffers again, still in the caches.
type packing[T Float] struct {
	packedX, packedDY []T // packed or transposed input, packed dy
	wp                panels[T]
	winogradBuffers[T]
}

func newPacking[T Float]() *packing[T] {
	p := new(packing[T])
	p.wp.packShared = p.wp.doPackShared
	return p
}

var (
	packings32 = freeList[packing[float32]]{make: newPacking[float32]}
	packings64 = freeList[packing[float64]]{make: newPacking[float64]}
)

func packings[T Float]() *freeList[packing[T]] {
	return listOf[packing[T]](&packings32, &packings64)
}

// panels hands out the weights of a product, panel by panel: as they are stored;
// packed all together before the product starts; or, where a panel is done with
// before the next one is needed, packed by each seat for itself, so that they
// never leave the cache of its core.
type panels[T Float] struct {
	taps, size int // of a packed panel: taps, length
	packTap    func(dst []T, l, p int)
	shared     []T // nil if the seats pack for themselves
	packShared func(lo, hi int)

	storage []T
	step    int // from one stored panel to the next
	ldb     int

	seats []ownPanel[T]
	buf   []T // for shared
}

// ownPanel is the panel that one seat has packed.
type ownPanel[T Float] struct {
	buf []T
	p   int
}

// stored yields panels of w, or parts of them, as wide as rows of ldb, step elements apart.
func (w *panels[T]) stored(weights []T, step, ldb int) {
	w.storage, w.step, w.ldb = weights, step, ldb
}

// pack hands out n packed panels of the given number of taps with k rows each.
// packTap packs one tap of one panel.
func (w *panels[T]) pack(nr, n, taps, k int, each bool, packTap func(dst []T, l, p int)) {
	w.taps, w.size, w.packTap, w.storage = taps, taps*k*nr, packTap, nil
	if !each {
		w.buf = grow(w.buf, n*w.size)
		w.shared = w.buf
		Parallel(n*taps, grainFor(workPack, k*nr), w.packShared)
		return
	}
	w.shared = nil
	for len(w.seats) < participants(maxParts, 1) {
		w.seats = append(w.seats, ownPanel[T]{})
	}
	for i := range w.seats {
		w.seats[i].p = -1
	}
}

// Kept holds weights as a product reads them, for weights that do not change: the first product
// packs them, later ones find them. The zero value holds none. It serves one goroutine at a time.
type Kept[T Float] struct {
	nr     int // columns of a panel; 0 before the first product
	panels []T
}

// packOnce is pack into kept, unless they are there.
func (w *panels[T]) packOnce(kept *Kept[T], nr, n, taps, k int, packTap func(dst []T, l, p int)) {
	if kept.nr != nr {
		w.pack(nr, n, taps, k, false, packTap)
		kept.panels = append(Alloc[T](len(w.shared))[:0], w.shared...)
		kept.nr = nr
	}
	w.stored(kept.panels, taps*k*nr, nr)
}

func (w *panels[T]) doPackShared(lo, hi int) {
	for i := lo; i < hi; i++ {
		p := i / w.taps
		w.packTap(w.shared[p*w.size:][:w.size], i%w.taps, p)
	}
}

// panel returns panel p and the distance of its rows.
func (w *panels[T]) panel(seat, p, nr int) ([]T, int) {
	switch {
	case w.storage != nil:
		return w.storage[p*nr/w.ldb*w.step+p*nr%w.ldb:], w.ldb
	case w.shared != nil:
		return w.shared[p*w.size:][:w.size], nr
	}
	own := &w.seats[seat]
	if own.p != p {
		own.buf, own.p = grow(own.buf, w.size), p
		for l := range w.taps {
			w.packTap(own.buf, l, p)
		}
	}
	return own.buf, nr
}
