package psl

import (
	"errors"
	"math"
)

// Expr is a coefficient: a Number, a Cardinality or a *Binary. Expressions
// over numbers alone are folded when they are built, so a coefficient that
// does not depend on the grounding is always a Number.
type Expr interface {
	// Eval returns the value; card gives |B| for a summation variable B. The
	// result is not finite after a division by |B| = 0.
	Eval(card func(name string) float64) float64
}

// Number is a finite constant.
type Number float64

// Cardinality is |B|: how many values the summation variable B takes.
type Cardinality struct {
	Pos Pos
	Var string
}

// BinaryOp is an operator of coefficient expressions.
type BinaryOp uint8

// The operators of coefficient expressions.
const (
	Add BinaryOp = iota
	Sub
	Mul
	Div
	Min
	Max
)

// Binary is X Op Y.
type Binary struct {
	Op   BinaryOp
	X, Y Expr
}

// Eval returns the number.
func (n Number) Eval(func(string) float64) float64 { return float64(n) }

// Eval returns card(Var).
func (c Cardinality) Eval(card func(string) float64) float64 { return card(c.Var) }

// Eval evaluates both operands and applies the operator.
func (b *Binary) Eval(card func(string) float64) float64 {
	x, y := b.X.Eval(card), b.Y.Eval(card)
	switch b.Op {
	case Add:
		return x + y
	case Sub:
		return x - y
	case Mul:
		return x * y
	case Div:
		return x / y
	case Min:
		return min(x, y)
	default:
		return max(x, y)
	}
}

var (
	errZeroDivision = errors.New("division by zero")
	errOverflow     = errors.New("the coefficient is too large for a number")
)

// binary builds x op y: it folds numbers, products with 0 and neutral
// elements, and building a built expression anew gives the same expression. A
// nil operand is 0, and 0 is returned as Number(0).
func binary(op BinaryOp, x, y Expr) (Expr, error) {
	if x == nil {
		x = Number(0)
	}
	if y == nil {
		y = Number(0)
	}
	nx, xIsNum := x.(Number)
	ny, yIsNum := y.(Number)
	if op == Div && yIsNum && ny == 0 {
		return nil, errZeroDivision
	}
	if xIsNum && yIsNum {
		v := (&Binary{Op: op, X: nx, Y: ny}).Eval(nil)
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return nil, errOverflow
		}
		return Number(v + 0), nil // + 0 turns -0 into 0
	}
	switch {
	case op == Mul && (x == Number(0) || y == Number(0)), op == Div && x == Number(0):
		return Number(0), nil
	case op == Add && xIsNum && nx == 0, op == Mul && xIsNum && nx == 1:
		return y, nil
	case (op == Add || op == Sub) && yIsNum && ny == 0, (op == Mul || op == Div) && yIsNum && ny == 1:
		return x, nil
	}
	return &Binary{Op: op, X: x, Y: y}, nil
}

// negate returns -x.
func negate(x Expr) Expr {
	e, _ := binary(Mul, Number(-1), x) // a product with -1 cannot overflow
	return e
}
