package integer

import (
	"hinge/symbolic/lcqp"
)

// component returns component c of an instance as a separate instance, with targets and rows
// in the same order.
func component(in *lcqp.Instance, c int) (*lcqp.Instance, error) {
	comp := &in.Components[c]
	part, err := lcqp.NewInstance(in.Part(comp.Targets, comp.Rows), in.Epsilon)
	if err != nil {
		return nil, err
	}
	copy(part.Weights, in.Weights)
	for k, row := range comp.Rows {
		part.B[k] = in.B[row]
	}
	for i, t := range comp.Targets {
		part.Lower[i], part.Upper[i] = in.Lower[t], in.Upper[t]
		part.Prox[i], part.Center[i] = in.Prox[t], in.Center[t]
	}
	return part, nil
}
