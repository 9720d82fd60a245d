package kernel

import "testing"

// Both panel widths are packed by assembly where there is any, whatever the
// path in use takes.
func TestPack(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		rng := newRand(61)
		for range 200 {
			nr := []int{16, 32}[rng.IntN(2)]
			rows, n, j0 := 1+rng.IntN(40), 1+rng.IntN(nr), rng.IntN(3)
			if rng.IntN(2) == 0 {
				n = nr
			}
			ld := j0 + n + rng.IntN(3)
			src, dst := guardCopy(normals[float32](rng, rows*ld)), guard[float32](rows*nr)
			packRows(dst.buf, nr, src.buf, ld, rows, j0, n)
			for r := range rows {
				for j := range nr {
					want := float32(0)
					if j < n {
						want = src.buf[r*ld+j0+j]
					}
					if got := dst.buf[r*nr+j]; got != want {
						t.Fatalf("packRows nr %d, %d×%d of %d, row %d, column %d: %v, want %v", nr, rows, n, ld, r, j, got, want)
					}
				}
			}
			src.intact(t, "packRows source")
			dst.intact(t, "packRows")

			k, ld := rows, rows+rng.IntN(3)
			src, dst = guardCopy(normals[float32](rng, (j0+n)*ld)), guard[float32](rows*nr)
			packCols(dst.buf, nr, src.buf, ld, nr*ld, k, j0, n)
			for p := range k {
				for j := range nr {
					want := float32(0)
					if j < n {
						want = src.buf[(j0+j)*ld+p]
					}
					if got := dst.buf[p*nr+j]; got != want {
						t.Fatalf("packCols nr %d, %d×%d of %d, row %d, column %d: %v, want %v", nr, k, n, ld, p, j, got, want)
					}
				}
			}
			src.intact(t, "packCols source")
			dst.intact(t, "packCols")
		}
	})
}

// The drivers must hold at the panel width of a path this machine may not have.
func TestWidePanels(t *testing.T) {
	defer current.Store(current.Load())
	current.Store(&path{name: "wide", nr: 32})
	rng := newRand(62)
	for i := range 60 {
		randomGemm(rng).run(t, uint64(i))
		runConv[float32](t, randomConv(rng), uint64(i), 1e-5)
	}
	for i, s := range append(resnetShapes, oddShapes...) {
		runConv[float32](t, s, uint64(i), 1e-5)
	}
}

// Narrow rows move as they are, to and from rows of any distance, and nothing
// beside them.
func TestMoveRows(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		rng := newRand(8)
		for n := 1; n <= 40; n++ {
			for _, rows := range []int{0, 1, 2, 7} {
				ldd, lds := n+rng.IntN(9), n+rng.IntN(9)
				size := func(ld int) int { return max(0, (rows-1)*ld+n) }
				src, dst := guardCopy(normals[float32](rng, size(lds))), guardCopy(normals[float32](rng, size(ldd)))
				want := to64(dst.buf)
				for r := range rows {
					for j := range n {
						want[r*ldd+j] = float64(src.buf[r*lds+j])
					}
				}
				moveRows(dst.buf, ldd, src.buf, lds, rows, n)
				name := label("%d rows of %d", rows, n)
				near(t, name, dst.buf, want, 0)
				src.intact(t, name)
				dst.intact(t, name)
			}
		}
	})
}
