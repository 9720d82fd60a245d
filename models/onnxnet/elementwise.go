package onnxnet

import (
	"cmp"
	"math"
	"slices"

	"hinge/nn"
)

// scalar is a function of one number with its derivative, given x and the function's value y.
func scalar(name string, value func(x float64) float64, differential func(x, y float64) float64) nn.Scalar {
	return nn.Scalar{Name: name, Value: value, Differential: differential}
}

// always is a constant derivative.
func always(d float64) func(x, y float64) float64 { return func(_, _ float64) float64 { return d } }

// times multiplies by a number.
func times(factor float64) nn.Scalar {
	return scalar("times", func(x float64) float64 { return factor * x }, always(factor))
}

// line is a·x + b between two bounds.
func line(a, b, lo, hi float64) nn.Scalar {
	return scalar("line", func(x float64) float64 { return min(max(a*x+b, lo), hi) }, func(x, _ float64) float64 {
		if y := a*x + b; y > lo && y < hi {
			return a
		}
		return 0
	})
}

// bent is one function of the positive numbers and another of the others.
func bent(name string, above, below nn.Scalar) nn.Scalar {
	return scalar(name, func(x float64) float64 {
		if x > 0 {
			return above.Value(x)
		}
		return below.Value(x)
	}, func(x, y float64) float64 {
		if x > 0 {
			return above.Differential(x, y)
		}
		return below.Differential(x, y)
	})
}

// timesX is x times a function of x.
func timesX(f nn.Scalar) nn.Scalar {
	return scalar(f.Name, func(x float64) float64 { return x * f.Value(x) }, func(x, _ float64) float64 {
		y := f.Value(x)
		return y + x*f.Differential(x, y)
	})
}

// exponential is a·(exp(x/b) − 1).
func exponential(a, b float64) nn.Scalar {
	return scalar("exponential", func(x float64) float64 { return a * math.Expm1(x/b) }, func(_, y float64) float64 { return (y + a) / b })
}

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// softplus is log(1 + exp x).
func softplus(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

var (
	sigmoid     = scalar("sigmoid", logistic, func(_, y float64) float64 { return y * (1 - y) })
	hyperbolic  = scalar("tanh", math.Tanh, func(_, y float64) float64 { return 1 - y*y })
	hardSigmoid = line(1.0/6, 0.5, 0, 1)
	rectifier   = bent("relu", times(1), times(0))
	// logarithm is that of probabilities, of which 0 is taken for a very small one.
	logarithm = scalar("logarithm", func(x float64) float64 { return math.Log(max(x, least)) }, func(x, _ float64) float64 { return 1 / max(x, least) })
	// orOne is 1 for 0, as a divisor that leaves what it divides.
	orOne = scalar("or one", func(x float64) float64 { return cmp.Or(x, 1) }, func(x, _ float64) float64 {
		if x == 0 {
			return 0
		}
		return 1
	})
	sign = scalar("sign", func(x float64) float64 {
		if x > 0 {
			return 1
		} else if x < 0 {
			return -1
		}
		return x
	}, always(0))
)

const least = 1e-30

// functions are the operators of one number that have no attributes.
var functions = map[string]nn.Scalar{
	"Sigmoid": sigmoid,
	"Tanh":    hyperbolic,
	"Erf":     scalar("erf", math.Erf, func(x, _ float64) float64 { return 2 / math.Sqrt(math.Pi) * math.Exp(-x*x) }),
	"Sqrt":    scalar("sqrt", math.Sqrt, func(_, y float64) float64 { return 0.5 / y }),
	"Exp":     scalar("exp", math.Exp, func(_, y float64) float64 { return y }),
	"Log":     scalar("log", math.Log, func(x, _ float64) float64 { return 1 / x }),
	"Sin":     scalar("sin", math.Sin, func(x, _ float64) float64 { return math.Cos(x) }),
	"Cos":     scalar("cos", math.Cos, func(x, _ float64) float64 { return -math.Sin(x) }),
	"Neg":     times(-1),
	"Abs":     scalar("abs", math.Abs, func(x, _ float64) float64 { return sign.Value(x) }),
	"Sign":    sign,
	"Floor":   scalar("floor", math.Floor, always(0)),
	"Ceil":    scalar("ceil", math.Ceil, always(0)),
	"Round":   scalar("round", math.RoundToEven, always(0)),
	"Not": scalar("not", func(x float64) float64 {
		if x == 0 {
			return 1
		}
		return 0
	}, always(0)),
	"Reciprocal": scalar("reciprocal", func(x float64) float64 { return 1 / x }, func(_, y float64) float64 { return -y * y }),
	"Softplus":   scalar("softplus", softplus, func(x, _ float64) float64 { return logistic(x) }),
	"Softsign": scalar("softsign", func(x float64) float64 { return x / (1 + math.Abs(x)) }, func(x, _ float64) float64 {
		return 1 / ((1 + math.Abs(x)) * (1 + math.Abs(x)))
	}),
	"HardSwish": timesX(hardSigmoid),
	"Mish": timesX(scalar("mish", func(x float64) float64 { return math.Tanh(softplus(x)) },
		func(x, y float64) float64 { return (1 - y*y) * logistic(x) })),
}

// curves are the operators of one number that have attributes.
var curves = map[string]func(n *node) nn.Scalar{
	"LeakyRelu": func(n *node) nn.Scalar { return bent("leakyrelu", times(1), times(n.float("alpha", 0.01))) },
	"Elu":       func(n *node) nn.Scalar { return bent("elu", times(1), exponential(n.float("alpha", 1), 1)) },
	"Celu": func(n *node) nn.Scalar {
		a := n.float("alpha", 1)
		return bent("celu", times(1), exponential(a, a))
	},
	"Selu": func(n *node) nn.Scalar {
		a, g := n.float("alpha", 1.67326319217681884765625), n.float("gamma", 1.05070102214813232421875)
		return bent("selu", times(g), exponential(a*g, 1))
	},
	"ThresholdedRelu": func(n *node) nn.Scalar {
		a := n.float("alpha", 1)
		return scalar("thresholdedrelu", func(x float64) float64 {
			if x > a {
				return x
			}
			return 0
		}, func(_, y float64) float64 { return sign.Value(math.Abs(y)) })
	},
	"HardSigmoid": func(n *node) nn.Scalar { return line(n.float("alpha", 0.2), n.float("beta", 0.5), 0, 1) },
	"Swish": func(n *node) nn.Scalar {
		a := n.float("alpha", 1)
		return timesX(scalar("swish", func(x float64) float64 { return logistic(a * x) }, func(_, y float64) float64 { return a * y * (1 - y) }))
	},
	"Gelu": func(n *node) nn.Scalar {
		if n.text("approximate", "none") == "tanh" {
			slope := math.Sqrt(2 / math.Pi)
			return timesX(scalar("gelu", func(x float64) float64 { return (1 + math.Tanh(slope*(x+0.044715*x*x*x))) / 2 },
				func(x, y float64) float64 { return 2 * y * (1 - y) * slope * (1 + 3*0.044715*x*x) }))
		}
		return timesX(scalar("gelu", func(x float64) float64 { return (1 + math.Erf(x/math.Sqrt2)) / 2 },
			func(x, _ float64) float64 { return math.Exp(-x*x/2) / math.Sqrt(2*math.Pi) }))
	},
}

// unary is an operator of one number.
func unary[T nn.Float](f func(n *node) nn.Scalar) operator[T] {
	return func(c *context[T]) { c.out(c.mapped(c.in(0), f(c.n))) }
}

func relu[T nn.Float](c *context[T]) {
	x := c.in(0)
	if x.known != nil {
		c.out(c.mapped(x, rectifier))
		return
	}
	c.materialise(x)
	c.out(&value[T]{node: c.b.ReLU(c.n.out[0], x.node), shape: x.shape, maps: x.maps, kind: x.kind, at: x.at})
}

// clip has its bounds as attributes or as inputs.
func clip[T nn.Float](c *context[T]) {
	lo, hi := c.n.float("min", math.Inf(-1)), c.n.float("max", math.Inf(1))
	for i, bound := range []*float64{&lo, &hi} {
		if v := c.in(1 + i); v != nil {
			x := c.one(v)
			if x == nil {
				c.fail("its bounds are not constant")
			}
			*bound = *x
		}
	}
	c.out(c.mapped(c.in(0), line(1, 0, lo, hi)))
}

// cast turns numbers into those of a kind.
func cast[T nn.Float](c *context[T]) { c.cast(c.n.integer("to", kindFloat)) }

// castLike makes numbers of the kind of another array, as PyTorch's exporter does for a convolution without bias. It
// refuses to round to 16 bits: in a file that is written again the other array has 32.
func castLike[T nn.Float](c *context[T]) {
	to := c.in(1).kind
	if c.in(0).known == nil && widths[to] == 2 && fractional(to) {
		c.fail("numbers in the precision of others, of 16 bits")
	}
	c.cast(to)
}

// cast makes the first input one of numbers of a kind.
func (c *context[T]) cast(to int) {
	x := c.in(0)
	if widths[to] == 0 {
		c.fail("numbers as elements of the kind %d", to)
	}
	if to == kindFloat || to == kindDouble || x.whole() && x.kind == to {
		y := *x
		y.kind, y.main = to, nil
		if x.weight != nil { // one parameter under two names
			c.materialise(x)
			y.node, y.weight = x.node, nil
		}
		c.out(&y)
		return
	}
	slope := 0.0
	if fractional(to) {
		slope = 1
	}
	y := c.mapped(x, scalar("cast", func(v float64) float64 { return rounded(v, to) }, always(slope)))
	y.kind = to
	c.out(y)
}

func identity[T nn.Float](c *context[T]) {
	x := c.in(0)
	if x.known == nil {
		c.materialise(x)
	}
	same := *x
	same.main, same.weight = nil, nil
	c.out(&same)
}

// dropout drops in training, as the node says.
func dropout[T nn.Float](c *context[T]) {
	x, p := c.in(0), c.n.float("ratio", 0.5)
	if v := c.one(c.in(1)); v != nil {
		p = *v
	}
	if v := c.one(c.in(2)); v != nil && *v != 0 && p > 0 && c.n.attributes["seed"] != nil {
		c.fail("it drops by the noise of a seed, which is another here; leave the attribute seed out")
	}
	identity(c)
	if c.b.Training && x.known == nil {
		y := *c.values[c.n.out[0]]
		y.node = c.b.Dropout(c.n.out[0], y.node, p)
		c.out(&y)
	}
	if c.out(c.values[c.n.out[0]]); len(c.n.out) > 1 {
		if c.b.Training && c.f.counts[c.n.out[1]] > 0 {
			c.fail("its mask is read, which is not made in training")
		}
		c.out(nil, c.constant(kindBool, slices.Repeat([]float64{1}, product(x.shape)), x.shape...))
	}
}
