package lcqp

import "math"

const (
	// deepest is the number of rows over which a pull is handed on, mostVisits the
	// number of rows that each search for a bound looks at.
	deepest    = 8
	mostVisits = 400_000
)

// absorber hands pulls on along rows without a multiplier of their own.
type absorber struct {
	shift   map[int32]float64 // μ'_k − μ_k, of rows that took part
	seen    map[int32]bool    // targets on the way
	dropped []bool            // by row
	spared  int32             // target that bears nothing
	visits  int
}

// begin starts with nothing handed on.
func (d *Drop) begin(rows []int32) {
	d.shift, d.seen, d.visits = map[int32]float64{}, map[int32]bool{}, 0
	for _, k := range rows {
		d.dropped[k] = true
	}
}

// absorb changes the pulls, as far as it finds a way, so that every target is pulled by no
// more than the force that holds it. It returns the amount that the rows' distances from their
// kinks add to the right side.
func (d *Drop) absorb(spared int32) (spare float64) {
	d.spared = spared
	for n := 0; n < len(d.touched) && d.visits < mostVisits; n++ {
		i := d.touched[n]
		s, excess := d.excess(i)
		if excess <= 0 {
			continue
		}
		clear(d.seen)
		d.seen[i] = true
		d.drag(i, s, -d.handOn(i, s, excess, deepest))
	}
	for k, shift := range d.shift {
		spare += math.Abs(shift * d.activity(k))
	}
	return spare
}

// excess returns the side to which target i is pulled, and by how much more than what holds
// it there.
func (d *Drop) excess(i int32) (s int, excess float64) {
	if d.pull[i] > 0 {
		s = 1
	}
	return s, math.Abs(d.pull[i]) - d.force(i, s)
}

// drag adds an amount towards side s to the pull on target i.
func (d *Drop) drag(i int32, s int, amount float64) {
	if s == 0 {
		amount = -amount
	}
	d.pull[i] += amount
}

// activity is the value of row k.
func (d *Drop) activity(k int32) float64 {
	in := d.in
	z := in.B[k]
	for j := in.Ptr[k]; j < in.Ptr[k+1]; j++ {
		z += in.Val[j] * d.sol.Y[in.Col[j]]
	}
	return z
}

// slackOf is how far the multiplier of row k may fall and grow.
func (d *Drop) slackOf(k int32) (down, up float64) {
	in, mu := d.in, d.sol.Dual[k]+d.shift[k]
	switch kind := in.Kinds[k]; {
	case d.dropped[k] || kind == Square || math.Abs(d.activity(k)) > kink:
		return 0, 0
	case kind == HardEQ:
		return math.Inf(1), math.Inf(1)
	case kind == HardLE:
		return max(mu, 0), math.Inf(1)
	}
	return max(mu, 0), max(in.Weights[in.RuleOf[k]]-mu, 0)
}

// handOn relieves target i of an amount of pull towards side s by rows of several
// targets, and returns of how much.
func (d *Drop) handOn(i int32, s int, amount float64, depth int) (done float64) {
	in := d.in
	for _, k := range in.RowsOf(i) {
		if done >= amount || d.visits >= mostVisits {
			break
		}
		from, to := in.Ptr[k], in.Ptr[k+1]
		if d.visits++; to-from < 2 {
			continue
		}
		down, up := d.slackOf(k)
		if down+up == 0 {
			continue
		}
		a := 0.0
		for j := from; j < to; j++ {
			if in.Col[j] == i {
				a = in.Val[j]
			}
		}
		// Raising μ_k by x lessens the pull on each target by x·a_k.
		room, sign := up, 1.0
		if (a > 0) != (s == 1) {
			room, sign = down, -1
		}
		if a == 0 || room == 0 {
			continue
		}
		x := min(room, (amount-done)/math.Abs(a))
		x = d.spread(k, i, x, sign, depth)
		d.shift[k] += sign * x
		done += x * math.Abs(a)
	}
	return done
}

// spread finds how much of a change sign·x of the multiplier of row k its targets other than i
// can bear, up to x, and makes them bear it. Targets of longer rows bear what their own force
// allows.
func (d *Drop) spread(k, i int32, x, sign float64, depth int) float64 {
	in := d.in
	from, to := in.Ptr[k], in.Ptr[k+1]
	side := func(a float64) int {
		if sign*a > 0 {
			return 0 // it is pulled down
		}
		return 1
	}
	for j := from; j < to; j++ {
		c, a := in.Col[j], in.Val[j]
		if c == i || a == 0 {
			continue
		}
		if to-from == 2 {
			return d.bear(c, side(a), x*math.Abs(a), depth-1) / math.Abs(a)
		}
		x = min(x, d.left(c, side(a))/math.Abs(a))
	}
	if x > 0 {
		for j := from; j < to; j++ {
			if c, a := in.Col[j], in.Val[j]; c != i && a != 0 {
				d.touched = append(d.touched, c)
				d.drag(c, side(a), x*math.Abs(a))
			}
		}
	}
	return x
}

// left returns the force of target c towards side s that is not used up.
func (d *Drop) left(c int32, s int) float64 {
	if c == d.spared {
		return 0
	}
	pull, _, force, _ := d.side(c, s)
	return max(force-pull, 0)
}

// bear makes target c bear an amount of pull towards side s, by its own force and by
// handing on the rest, and returns how much it can.
func (d *Drop) bear(c int32, s int, amount float64, depth int) float64 {
	own := min(d.left(c, s), amount)
	if own > 0 {
		d.touched = append(d.touched, c)
		d.drag(c, s, own)
	}
	if own >= amount || depth <= 0 || d.seen[c] {
		return own
	}
	d.seen[c] = true
	return own + d.handOn(c, s, amount-own, depth)
}
