package kernel

import "testing"

func TestTranspose(t *testing.T) {
	for _, cols := range []int{1, 4} {
		const rows = 3
		src := normals[float32](newRand(51), rows*cols)
		got := make([]float32, len(src))
		Transpose(got, src, rows, cols)
		for i := range rows {
			for j := range cols {
				if got[j*rows+i] != src[i*cols+j] {
					t.Fatalf("element %d %d misplaced", i, j)
				}
			}
		}
	}
}

func TestPanelLayout(t *testing.T) {
	for _, s := range []ConvShape{
		{OutC: 3, InC: 4, K: 5}, {OutC: 32, InC: 3, K: 1}, {OutC: 33, InC: 2, K: 3}, {OutC: 100, InC: 7, K: 3},
	} {
		src := normals[float32](newRand(53), s.WeightLen())
		stored, back := make([]float32, len(src)), make([]float32, len(src))
		OIHWToPanels(stored, src, s.OutC, s.InC, s.K)
		for o := range s.OutC {
			for i := range s.InC {
				for tap := range s.K * s.K {
					if stored[s.WeightIndex(tap, i, o)] != src[(o*s.InC+i)*s.K*s.K+tap] {
						t.Fatalf("%+v: weight %d %d %d misplaced", s, o, i, tap)
					}
				}
			}
		}
		PanelsToOIHW(back, stored, s.OutC, s.InC, s.K)
		equalBits(t, "round trip", back, src)
	}
}

func TestActivationLayouts(t *testing.T) {
	const n, c, pixels = 3, 4, 6
	src := normals[float32](newRand(52), n*c*pixels)
	hwnc := make([]float32, len(src))
	NCHWToHWNC(hwnc, src, n, c, pixels)
	for i := range n {
		for j := range c {
			for p := range pixels {
				if hwnc[(p*n+i)*c+j] != src[(i*c+j)*pixels+p] {
					t.Fatalf("element %d %d %d misplaced", i, j, p)
				}
			}
		}
	}
}
