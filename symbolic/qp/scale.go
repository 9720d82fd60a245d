package qp

import (
	"math"
	"slices"
)

// scaling makes the numbers of a problem alike: with x = col·length·z, rows times
// row/length and costs times cost, every row and column of
//
//	| P  Aᵀ |
//	| A  0  |
//
// has a largest entry of about 1 (Ruiz' equilibration, a few rounds of it), and so
// have z and the multipliers once length and price are known.
type scaling struct {
	col, row      []float64
	length, price float64
}

func newScaling(p *Problem) *scaling {
	const rounds = 12
	one := []float64{1}
	s := &scaling{col: slices.Repeat(one, len(p.P)), row: slices.Repeat(one, len(p.Low)), length: 1, price: 1}
	colMax, rowMax := make([]float64, len(p.P)), make([]float64, len(p.Low))
	for range rounds {
		for i, v := range p.P {
			colMax[i] = v * s.col[i] * s.col[i]
		}
		for k := range p.Low {
			rowMax[k] = 0
			col, val := p.row(k)
			for j, c := range col {
				v := math.Abs(val[j]) * s.col[c] * s.row[k]
				colMax[c], rowMax[k] = max(colMax[c], v), max(rowMax[k], v)
			}
		}
		divide(s.col, colMax)
		divide(s.row, rowMax)
	}
	return s
}

// cost returns the factor of the costs: the largest is then 1/price.
func (s *scaling) cost(p *Problem) float64 {
	most := 0.0
	for i, q := range p.Q {
		d := s.col[i] * s.length
		most = max(most, math.Abs(q)*d, p.P[i]*d*d)
	}
	if most == 0 {
		return 1
	}
	return 1 / (s.price * most)
}

// divide divides the scales by the roots of what they lead to.
func divide(scale, most []float64) {
	for i, v := range most {
		if v > 0 {
			scale[i] /= math.Sqrt(v)
		}
	}
}
