package bilevel

import (
	"fmt"
	"math"
	"slices"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"hinge/optim"
)

// lagrangian is a bilevel loss of an Objective: the augmented Lagrangian L_A of the
// bound-constrained problem (paper, section 4 and the appendix on the extended learning
// framework). Its value and derivatives for optimal values, points and slacks are in
// lagrangian_value.go, the starting points in lagrangian_start.go, the reactions to the
// end of an epoch in lagrangian_outer.go; here are the projected gradient steps on the
// points.
type lagrangian struct {
	Stateless
	o            *Objective
	full, moreau solver // V and M, of the samples with a constraint
	rho          float64
	value        lagrangianValue
	y            []float64      // graph leaf
	leaves       gorgonia.Nodes // y
	batch        []int          // the loaded samples that have a constraint

	at          []place   // where the numbers of each sample begin in the lists below
	points      []float64 // y, one run per sample
	slacks      []float64
	multipliers []float64
	residuals   []float64 // c + s at the last visit
	fresh       []float64 // 1 if that was since the last step on the multiplier
	gaps        []float64 // M − V at the last visit
	outputs     []float64 // g at the last visit, mean over the draws
	visited     []float64 // 1 once outputs are set
	outer       outer
}

func newLagrangian(o *Objective, d func(y, t float64, dy *float64) float64) (*lagrangian, error) {
	full, err := o.newSolver("map")
	if err != nil {
		return nil, err
	}
	moreau, err := o.newSolver("augmented")
	if err != nil {
		return nil, err
	}
	p, m, at := o.problem.Samples, full.Samples(), o.problem.starts()
	v := func(n int) []float64 { return make([]float64, n) }
	l := &lagrangian{
		o: o, full: full, moreau: moreau, rho: Rho(o.set.ProxWeight),
		value: newLagrangianValue(&o.set, o.problem.Batch, m, full.room.targets),
		y:     v(full.room.targets), at: at,
		points: v(at[p].targets), slacks: v(p), multipliers: v(p),
		residuals: v(p), fresh: v(p), gaps: v(p),
		outer: newOuter(&o.problem, 1),
	}
	l.value.d = d
	if o.set.Stationarity == StationarityMovement && at[p].deep > 0 {
		l.outputs, l.visited = v(at[p].deep), v(p)
	}
	return l, nil
}

func (l *lagrangian) Inputs() gorgonia.Nodes { return l.leaves }

func (l *lagrangian) Started() bool { return l.outer.started }

// Express adds L_A as a function of V_{z*}, V, M and y.
func (l *lagrangian) Express(w, g *gorgonia.Node) (*gorgonia.Node, error) {
	latent, err := l.o.latent.Value(w, g)
	if err != nil {
		return nil, err
	}
	full, err := l.full.Value(w, g)
	if err != nil {
		return nil, err
	}
	y := leaf(w.Graph(), "y", l.y)
	rho := gorgonia.NewScalar(w.Graph(), tensor.Float64, gorgonia.WithName(numbered("rho")), gorgonia.WithValue(l.rho))
	moreau, err := l.moreau.Moreau(w, g, y, rho)
	if err != nil {
		return nil, err
	}
	l.leaves = gorgonia.Nodes{y}
	return l.value.node(latent, full, moreau, y)
}

// Load gives the leaf the points of the batch.
func (l *lagrangian) Load(batch []int) error {
	l.outer.ledger = &l.outer.seen[l.o.parts.Of(batch[0])]
	l.batch = batch[:len(l.value.lambda)]
	for i, sample := range l.batch {
		if slices.ContainsFunc(l.pointsOf(sample), math.IsNaN) {
			return fmt.Errorf("bilevel: sample %d was in no batch of Start", sample)
		}
		copy(l.full.points(l.y, i), l.pointsOf(sample))
		l.value.lambda[i] = l.multipliers[sample]
		l.value.labelled[i], l.value.at[i] = l.o.latent.Instance(i), l.full.at[i].targets
	}
	l.value.penalty, l.value.iota = l.outer.penalty, l.outer.iota
	return nil
}

// Step takes the step on y. The gradients of the graph belong to the scaled loss;
// every sample steps along the gradient of its own, unscaled term.
func (l *lagrangian) Step(w, dw []float64, grads gorgonia.Nodes) (Terms, error) {
	dy, err := float64s(grads[0].Value())
	if err != nil {
		return Terms{}, err
	}
	l.outer.meet(w, dw, l.scale())
	scale := l.scale() * l.value.share()
	for k := range dy {
		dy[k] /= scale
	}
	for i, sample := range l.batch {
		y, d := l.pointsOf(sample), l.full.points(dy, i)
		l.outer.deltaY += math.Sqrt(optim.BoxResidual(y, d))
		l.outer.movedY += optim.BoxStep(y, d, l.pointStep(i))
		l.gaps[sample] = l.value.gap[i]
		l.seeOutputs(sample, i)
	}
	for j, sample := range l.batch[:l.value.constraints()] {
		l.slacks[sample], l.residuals[sample], l.fresh[sample] = l.value.slack[j], l.value.residual[j], 1
	}
	return l.value.terms, nil
}

// scale is the factor between L_A and the loss in the graph.
func (l *lagrangian) scale() float64 { return l.o.set.Factor * l.value.scale() }

// pointStep is the step size of the point in slot i: the configured one, but no
// larger than the inverse of the curvature the penalty has there, q/ρ +
// μ‖∇M‖², beyond which a gradient step overshoots. It matters once μ is large.
func (l *lagrangian) pointStep(i int) float64 {
	if l.o.set.LikeReference {
		return l.o.set.PointStep
	}
	q := l.value.dMoreau[i] / (l.value.scale() * l.value.share())
	f := l.moreau
	square := 0.0
	for j := range f.insts[i].Targets {
		d := 0.0
		for slot := i; slot < f.Slots(); slot += f.Samples() {
			d += f.share[slot] * f.points(f.dy, slot)[j]
		}
		square += d * d
	}
	curvature := max(q, -q)/l.rho + l.outer.penalty*square
	return min(l.o.set.PointStep, 1/curvature)
}

func (l *lagrangian) pointsOf(sample int) []float64 {
	return l.points[l.at[sample].targets:l.at[sample+1].targets]
}

// seeOutputs measures how far the neural outputs of a sample have moved since
// its last visit.
func (l *lagrangian) seeOutputs(sample, i int) {
	if l.outputs == nil {
		return
	}
	f := l.full
	kept := l.outputs[l.at[sample].deep:l.at[sample+1].deep]
	moved := 0.0
	for j := range kept {
		mean := 0.0
		for slot := i; slot < f.Slots(); slot += f.Samples() {
			mean += f.outputs(f.deep, slot)[j]
		}
		mean /= float64(l.o.set.ConstraintDraws)
		moved += (mean - kept[j]) * (mean - kept[j])
		kept[j] = mean
	}
	if l.visited[sample] == 0 {
		l.visited[sample] = 1
		return
	}
	l.outer.movedG += moved / float64(max(len(kept), 1))
	l.outer.visits++
}

// Arrays lists the loss's own slices, then a copy of the scalars, and last a copy of the
// sums of every part except the first.
func (l *lagrangian) Arrays() []Array {
	out := []Array{
		{Name: "bilevel/points", Data: l.points},
		{Name: "bilevel/slacks", Data: l.slacks},
		{Name: "bilevel/multipliers", Data: l.multipliers},
		{Name: "bilevel/residuals", Data: l.residuals},
		{Name: "bilevel/fresh", Data: l.fresh},
		{Name: "bilevel/gaps", Data: l.gaps},
		{Name: "bilevel/outputs", Data: l.outputs},
		{Name: "bilevel/visited", Data: l.visited},
		{Name: "bilevel/epoch_weights", Data: l.outer.weights},
		{Name: "bilevel/epoch_gradient", Data: l.outer.seen[0].gradient},
		{Name: "bilevel/scalars", Data: l.outer.pack()},
	}
	for i := range l.outer.seen[1:] {
		out = append(out, Array{Name: fmt.Sprint("bilevel/part", i+1), Data: l.outer.seen[i+1].sums()})
	}
	for i := range out {
		out[i].Shape = []int{len(out[i].Data)}
	}
	return out
}

// Restored takes the scalars and sums out of their arrays.
func (l *lagrangian) Restored(arrays []Array) {
	more := len(l.outer.seen) - 1
	scalars := len(arrays) - 1 - more
	l.outer.unpack(arrays[scalars].Data)
	for i, a := range arrays[scalars+1:] {
		l.outer.seen[i+1].setSums(a.Data)
	}
}

// Share makes room for the ledgers of the parts.
func (l *lagrangian) Share(parts int) {
	l.outer = newOuter(&l.o.problem, parts)
}

// Collect brings what rank 0 lacks of the samples to it: multipliers and the weights are
// the same everywhere.
func (l *lagrangian) Collect() error {
	p, t := l.o.parts, l.o.problem.Template
	for _, a := range []struct {
		x     []float64
		width int
	}{
		{l.points, t.Targets}, {l.slacks, 1}, {l.residuals, 1}, {l.fresh, 1}, {l.gaps, 1},
		{l.outputs, t.Deep}, {l.visited, 1},
	} {
		if err := p.Collect(a.x, a.width); err != nil {
			return err
		}
	}
	lo, hi := p.Own()
	var own []float64
	for i := lo; i < hi; i++ {
		own = append(own, l.outer.seen[i].sums()...)
	}
	all, err := p.ToFirst(own)
	if err != nil {
		return err
	}
	next := slices.Concat(all...)
	for n := len(next) / p.N(); len(next) > 0; next = next[n:] {
		l.outer.seen[p.N()-len(next)/n].setSums(next[:n])
	}
	return nil
}
