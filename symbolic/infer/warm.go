package infer

import "hinge/symbolic/infer/internal/sparse"

// What Auto does with a warm start.

// WorthResuming reports whether the warm start in p is worth following. It is not where a component
// has many rows with a multiplier that are idle now, a tiny one a third as many as targets, and so is
// far from solved: each adds at least multiplier times distance to the gap.
//
// A quadratic component is solved by descent from there, and nothing is followed.
func (x *auto) WorthResuming(p *Problem) bool {
	if x.descends(p) {
		return false
	}
	released, gap, most := 0, 0.0, p.Targets
	if p.Targets <= tinyTargets {
		most = max(p.Targets/3, fewReleased)
	}
	for f := range len(p.SidePtr) - 1 {
		for k := p.SidePtr[f]; k < p.SidePtr[f+1]; k++ {
			if mu := p.Dual[k]; mu > 0 {
				if a := p.Coef[k]*p.Side(f, p.Y) + p.B[k]; a < -offReleased {
					released++
					gap -= mu * a
				}
			}
		}
	}
	return released <= most || gap <= p.Goal.AllowedAt(0)
}

// TrySameActiveSet begins with the active rows of the warm start.
func (x *auto) TrySameActiveSet(p *Problem) bool {
	p.Choice = Choice{Approach: ByFollowing}
	return x.Follower.TrySameActiveSet(p)
}

// TrackActiveSet goes on from the active rows of the warm start.
func (x *auto) TrackActiveSet(p *Problem) bool {
	other := x.rival(p)
	x.Limits = worth(other.Seconds/shareFollowed, other.Features)
	tracked := x.Follower.TrackActiveSet(p)
	x.Limits = sparse.Limits{} // else they would bound Polish of the next component
	if tracked {
		return true
	}
	if x.Promising(p) {
		x.phase = resuming
	}
	return false
}

// PreferColdStart reports whether a start from zero is better than the warm one, which it never is
// for descent.
func (x *auto) PreferColdStart(p *Problem) bool {
	return !x.descends(p) && x.Follower.PreferColdStart(p)
}
