package nn

import (
	"math"
	"slices"

	"gorgonia.org/gorgonia"
)

// Reduction is a function of several numbers.
type Reduction string

// The reductions. The gradient of ReduceMax and ReduceMin goes to the first of equal numbers,
// as in MaxPool; L1 and L2 are norms, whose gradient at 0 is 0. A NaN among the numbers makes
// the result NaN.
const (
	ReduceSum       Reduction = "sum"
	ReduceMean      Reduction = "mean"
	ReduceMax       Reduction = "max"
	ReduceMin       Reduction = "min"
	ReduceProduct   Reduction = "product"
	ReduceLogSumExp Reduction = "logsumexp" // log Σ exp x, finite where the numbers are
	ReduceL1        Reduction = "l1"
	ReduceL2        Reduction = "l2"
)

// Reducing is the With of the Layer of a Reduce.
type Reducing struct {
	By   Reduction
	Axes []int
}

// Reduce reduces x along axes, any of them and in any order, and leaves them out of the
// shape; without axes it reduces all numbers to a scalar, which may be a loss. Sums are
// computed in float64.
func (b *Builder[T]) Reduce(name string, f Reduction, x *gorgonia.Node, axes ...int) *gorgonia.Node {
	if b.failed(name, x) {
		return nil
	}
	in := x.Shape()
	var shape []int
	for i, d := range in {
		if len(axes) > 0 && !slices.Contains(axes, i) {
			shape = append(shape, d)
		}
	}
	if len(axes) > 0 && (slices.Min(axes) < 0 || slices.Max(axes) >= len(in) || len(in)-len(shape) != len(axes)) || size(in) == 0 {
		return b.Fail(name, "a %s over the axes %v of the shape %v", f, axes, in)
	}
	to := reduced(in, axes)
	count := float64(size(in) / size(shape))
	sum := make([]float64, size(shape)) // in float64: of the numbers, or the extremum
	first, add := f.fold()
	if add == nil {
		return b.Fail(name, "no reduction %q", f)
	}
	y := b.unary(string(f)+" "+name, x, shape, func(x, y []T) error {
		for i := range sum {
			sum[i] = first
		}
		for i, v := range x {
			sum[to[i]] = add(sum[to[i]], float64(v))
		}
		if f == ReduceLogSumExp {
			logSums(x, sum, to)
		}
		for i, s := range sum {
			switch f {
			case ReduceMean:
				s /= count
			case ReduceL2:
				s = math.Sqrt(s)
			}
			y[i] = T(s)
		}
		return nil
	}, readsX|readsY, func(dy, x, y, dx []T) {
		switch f {
		case ReduceMax, ReduceMin:
			clear(dx)
			taken := make([]bool, len(y))
			for i, o := range to {
				if !taken[o] && x[i] == y[o] {
					taken[o], dx[i] = true, dy[o]
				}
			}
		case ReduceProduct:
			products(x, dy, dx, to)
		default:
			for i, o := range to {
				dx[i] = dy[o] * T(slope(f, float64(x[i]), float64(y[o]), count))
			}
		}
	})
	return b.layer("Reduce", name, y, Reducing{f, slices.Clone(axes)}, nil, x)
}

// fold returns what the numbers are folded with, and the value before the first of them: the
// logarithm of a sum of exponentials begins with the maximum.
func (f Reduction) fold() (first float64, add func(s, v float64) float64) {
	switch f {
	case ReduceSum, ReduceMean:
		return 0, func(s, v float64) float64 { return s + v }
	case ReduceMax, ReduceLogSumExp:
		return math.Inf(-1), func(s, v float64) float64 { return max(s, v) }
	case ReduceMin:
		return math.Inf(1), func(s, v float64) float64 { return min(s, v) }
	case ReduceProduct:
		return 1, func(s, v float64) float64 { return s * v }
	case ReduceL1:
		return 0, func(s, v float64) float64 { return s + math.Abs(v) }
	case ReduceL2:
		return 0, func(s, v float64) float64 { return s + v*v }
	}
	return 0, nil
}

// reduced returns, for each element of an array, its place in the array without the axes;
// all axes are left out if none are given.
func reduced(shape, axes []int) []int32 {
	to := []int32{0}
	stride := 1
	for i := len(shape) - 1; i >= 0; i-- {
		step := stride
		if len(axes) == 0 || slices.Contains(axes, i) {
			step = 0
		} else {
			stride *= shape[i]
		}
		next := make([]int32, 0, len(to)*shape[i])
		for k := range shape[i] {
			for _, at := range to {
				next = append(next, at+int32(k*step))
			}
		}
		to = next
	}
	return to
}

// logSums turns maxima into log Σ exp x.
func logSums[T Float](x []T, top []float64, to []int32) {
	sums := make([]float64, len(top))
	for i, v := range x {
		if !math.IsInf(top[to[i]], 0) { // else Inf − Inf is not a number
			sums[to[i]] += math.Exp(float64(v) - top[to[i]])
		}
	}
	for i, s := range sums {
		if !math.IsInf(top[i], 0) {
			top[i] += math.Log(s)
		}
	}
}

// products writes the gradients of products: for each number the product of the others.
func products[T Float](x, dy, dx []T, to []int32) {
	product := slices.Repeat([]float64{1}, len(dy))
	before := make([]float64, len(to)) // in T it may overflow where the product of all does not
	for i, o := range to {
		before[i] = product[o]
		product[o] *= float64(x[i])
	}
	after := slices.Repeat([]float64{1}, len(dy))
	for i := len(to) - 1; i >= 0; i-- {
		o := to[i]
		dx[i] = T(before[i] * after[o] * float64(dy[o]))
		after[o] *= float64(x[i])
	}
}

// slope returns the derivative of y, a reduction of count numbers, by one of them.
func slope(f Reduction, x, y, count float64) float64 {
	switch {
	case f == ReduceMean:
		return 1 / count
	case f == ReduceLogSumExp && math.IsInf(y, 0) || f == ReduceL2 && y == 0 || f == ReduceL1 && x == 0:
		return 0
	case f == ReduceLogSumExp:
		return math.Exp(x - y)
	case f == ReduceL1:
		return math.Copysign(1, x)
	case f == ReduceL2:
		return x / y
	}
	return 1
}
