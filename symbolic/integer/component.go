package integer

import (
	"hinge/symbolic/lcqp"
)

// component returns component c of an instance as an instance of its own, with the
// targets and rows in their order.
func component(in *lcqp.Instance, c int) (*lcqp.Instance, error) {
	comp := &in.Components[c]
	rows, entries := len(comp.Rows), 0
	for _, row := range comp.Rows {
		entries += int(in.Ptr[row+1] - in.Ptr[row])
	}
	s := &lcqp.Sparse{Targets: len(comp.Targets), Ptr: make([]int32, 1, rows+1), Col: make([]int32, 0, entries), Val: make([]float64, 0, entries), B: make([]float64, 0, rows)}
	for _, row := range comp.Rows {
		for j := in.Ptr[row]; j < in.Ptr[row+1]; j++ {
			s.Col = append(s.Col, in.Local[in.Col[j]])
			s.Val = append(s.Val, in.Val[j])
		}
		s.Ptr = append(s.Ptr, int32(len(s.Col)))
		s.B = append(s.B, in.B[row])
		s.Kinds = append(s.Kinds, in.Kinds[row])
		if int(row) >= in.Constraints {
			s.Weights = append(s.Weights, in.Weights[in.RuleOf[row]])
		}
	}
	t, err := s.Compile()
	if err != nil {
		return nil, err
	}
	part, err := t.NewInstance(in.Epsilon)
	if err != nil {
		return nil, err
	}
	for i, t := range comp.Targets {
		part.Lower[i], part.Upper[i] = in.Lower[t], in.Upper[t]
		part.Prox[i], part.Center[i] = in.Prox[t], in.Center[t]
	}
	return part, nil
}
