package cluster

import (
	app "hinge/app/infer"
	"hinge/cluster/consensus"
	"hinge/optim/collective"
	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
)

// Joint is consensus.Solve as package app/infer calls it, with the same errors. All ranks
// call it together.
func Joint(c collective.Comm, in *lcqp.Instance, targets []int32, s infer.Settings, observe func(int, lcqp.Residual)) (app.JointResult, error) {
	var r consensus.Result
	err := consensus.Solve(c, &consensus.Part{Instance: in, Targets: targets}, consensus.Settings{Infer: s, Observe: observe}, &r)
	return r.JointResult, err
}

var _ app.Joint = Joint
