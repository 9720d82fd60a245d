package solve

import (
	"math"

	"hinge/symbolic/infer"
	"hinge/symbolic/qp"
	"hinge/symbolic/qp/mps"
)

// answer is what is printed. Numbers that do not exist, those of a problem without a point,
// are null.
type answer struct {
	File         string   `json:"file"`
	Name         string   `json:"name,omitempty"`
	Sense        string   `json:"sense"`
	Variables    int      `json:"variables"`
	Rows         int      `json:"rows"`
	Entries      int      `json:"entries"`
	OffDiagonal  int      `json:"hessian_off_diagonal"`
	Status       string   `json:"status"`
	Value        *float64 `json:"value"`
	DualValue    *float64 `json:"dual_value"`
	Gap          *float64 `json:"gap"`
	MaxViolation *float64 `json:"max_violation"`
	MaxGradient  *float64 `json:"max_gradient"`
	Tolerance    float64  `json:"tolerance"`
	Steps        int      `json:"steps"`
	Iterations   int      `json:"iterations"`
	ReadS        float64  `json:"read_s"`
	SolveS       float64  `json:"solve_s"`
	Proof        []item   `json:"proof,omitempty"`
	X            []item   `json:"x,omitempty"`
	Multipliers  []item   `json:"row_multipliers,omitempty"`
}

// item is a variable or a row: by its name, or by its number from 0 where names are not known.
type item struct {
	Name       string   `json:"name,omitempty"`
	Index      int      `json:"index"`
	Value      *float64 `json:"value,omitempty"`
	Multiplier float64  `json:"multiplier"`
}

// items are those of which there is something to say.
func items(names []string, values, multipliers []float64) []item {
	var all []item
	for i, mu := range multipliers {
		it := item{Index: i, Multiplier: mu}
		if names != nil {
			it.Name = names[i]
		}
		if values != nil {
			it.Value = &values[i]
		}
		if values != nil || mu != 0 {
			all = append(all, it)
		}
	}
	return all
}

// newAnswer says how a solve went.
func newAnswer(p *mps.Program, r *qp.Result, o *options) *answer {
	a := &answer{File: o.file, Name: p.Name, Sense: "min", Variables: len(p.P), Rows: len(p.Low), Entries: len(p.Val), OffDiagonal: len(p.HVal),
		Status: r.Status.Name(), Tolerance: o.tolerance, Steps: r.Steps, Iterations: r.Iterations}
	sign := 1.0
	if p.Maximise {
		a.Sense, sign = "max", -1
	}
	if r.Status == infer.Infeasible {
		a.Proof = items(p.Rows, nil, r.Proof)
		return a
	}
	number := func(v float64) *float64 {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil
		}
		return &v
	}
	a.Value, a.DualValue, a.Gap = number(sign*r.Residual.Value), number(sign*r.Residual.DualValue), number(r.Residual.Gap)
	a.MaxViolation, a.MaxGradient = number(r.Residual.Primal), number(r.Residual.Dual)
	if !o.short && a.Gap != nil {
		a.X, a.Multipliers = items(p.Columns, r.X, r.Bound), items(p.Rows, nil, r.Row)
	}
	return a
}
