package kernel

import "testing"

// Every product has a slot of its own among those of its forms, and these are all
// the filled ones.
func TestSlots(t *testing.T) {
	lengths := []int{2, 3, 4, 6, 7, 8}
	for _, height := range lengths {
		for _, width := range lengths {
			h, _ := schemeFor(height)
			w, _ := schemeFor(width)
			s := newSlots(h, w)
			filled := make([]int, s.count())
			for form, f := range s.filled {
				for i := range f.n {
					filled[f.first+i] = form + 1
				}
			}
			total := 0
			for th, hs := range h.segments {
				for tw, ws := range w.segments {
					at := s.walk(th, tw)
					for i := range hs.b {
						for j := range ws.b {
							slot := at.at + i*at.step + j*at.line
							if want := (hs.form+i)*len(w.g) + ws.form + j + 1; filled[slot] != want {
								t.Fatalf("%d×%d: slot %d of form %d is of form %d", height, width, slot, want, filled[slot])
							}
							filled[slot] = 0
							total++
						}
					}
				}
			}
			for slot, form := range filled {
				if form != 0 {
					t.Errorf("%d×%d: slot %d has no product", height, width, slot)
				}
			}
			if want := h.products() * w.products(); total != want {
				t.Errorf("%d×%d: %d products, want %d", height, width, total, want)
			}
		}
	}
}
