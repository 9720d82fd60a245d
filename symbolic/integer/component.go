package integer

import (
	"hinge/symbolic/lcqp"
)

// component returns component c of an instance as a separate instance, with targets and rows
// in the same order.
func component(in *lcqp.Instance, c int) (*lcqp.Instance, error) {
	comp := &in.Components[c]
	s := &lcqp.Sparse{Targets: len(comp.Targets)}
	var col []int32
	for _, row := range comp.Rows {
		from, to := in.Ptr[row], in.Ptr[row+1]
		col = col[:0]
		for _, i := range in.Col[from:to] {
			col = append(col, in.Local[i])
		}
		s.Append(in.Kinds[row], col, in.Val[from:to], in.B[row])
		if int(row) >= in.Constraints {
			s.Weights = append(s.Weights, in.Weights[in.RuleOf[row]])
		}
	}
	part, err := s.NewInstance(in.Epsilon)
	if err != nil {
		return nil, err
	}
	for i, t := range comp.Targets {
		part.Lower[i], part.Upper[i] = in.Lower[t], in.Upper[t]
		part.Prox[i], part.Center[i] = in.Prox[t], in.Center[t]
	}
	return part, nil
}
