// Package activeset moves a point to the optimum of a problem that has the same, or
// nearly the same, active rows and bounds: a warm start, or an answer within the
// tolerances that is to be exact. The parametric active set method follows the optimum
// breakpoint by breakpoint; the primal–dual active set method makes all changes at
// once. Follower chooses between them.
//
//	var f activeset.Follower
//	if f.TrySameActiveSet(p) || f.TrackActiveSet(p) {
//		… // p.Y and p.Dual are the optimum, up to rounding
//	}
//
// Both may give up, and then leave the point as it was. A Follower belongs to one
// goroutine.
package activeset
