// Package activeset moves a point to the optimum of a problem with the same, or nearly the
// same, active rows and bounds (Follower). This serves warm starts and makes an answer within the
// tolerances exact.
//
//	var f activeset.Follower
//	if f.TrySameActiveSet(p) || f.TrackActiveSet(p) {
//		… // p.Y and p.Dual are the optimum, up to rounding
//	}
//
// Both may give up; they then leave the point unchanged. A Follower belongs to one goroutine.
package activeset
