package pipe

import (
	"encoding/binary"
	"math"
	"slices"

	"hinge/app/cli"
	"hinge/bilevel"
	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
)

// program is a ground program with what its solves leave.
type program struct {
	template *lcqp.Template
	options  bilevel.Options
	// functions are those used last, the last one first.
	functions []*function
	states    map[int64]*infer.Warm // by key
}

// maxFunctions is how many value functions a program keeps: batches of a few sizes, with
// labels and without.
const maxFunctions = 4

// function is a value function with its arguments.
type function struct {
	*bilevel.ValueFunction
	condition       bool
	warms           []infer.Warm
	w, g            []float64
	labels          []float64 // those fixed on the instances, a row per sample
	answers, slopes []float64 // of a pull
}

// problem is a request to solve.
type problem struct {
	*program
	kind                     kind
	flags                    uint32
	draws, samples           int
	rules, outputs, targets  int
	labelled, keyed          int
	rest                     cursor
	keys                     []int64
	nudge, largest           float64
	wantAnswers, conditioned bool
}

const (
	headNumbers = 10
	flagAnswers = 1
)

// slots is S.
func (q *problem) slots() int { return q.draws * q.samples }

// parse reads the head of a request and compares all lengths with the lengths of the program
// and of the body.
func (s *session) parse(k kind, body []byte) (*problem, error) {
	if len(body) < 4*headNumbers {
		return nil, cli.Usage("a request of %d bytes, want at least %d", len(body), 4*headNumbers)
	}
	c := cursor{body}
	var head [headNumbers]uint32
	for i := range head {
		head[i] = c.uint32()
	}
	p := s.programs[head[0]]
	if p == nil {
		return nil, cli.Usage("no program %d is loaded", head[0])
	}
	q := &problem{
		program: p, kind: k, flags: head[1], draws: int(head[2]), samples: int(head[3]),
		rules: int(head[4]), outputs: int(head[5]), targets: int(head[6]), labelled: int(head[7]), keyed: int(head[8]), rest: c,
	}
	t := p.template
	switch {
	case q.flags&^flagAnswers != 0 || head[9] != 0:
		return nil, cli.Usage("unknown flags %d, %d", q.flags, head[9])
	case q.draws < 1 || q.samples < 1 || q.draws > math.MaxInt32/q.samples:
		return nil, cli.Usage("%d draws of %d samples", q.draws, q.samples)
	case q.rules != t.Rules || q.outputs != t.Deep || q.targets != t.Targets:
		return nil, cli.Usage("%d weights, %d outputs and %d targets; the program has %d, %d and %d", q.rules, q.outputs, q.targets, t.Rules, t.Deep, t.Targets)
	case q.labelled != 0 && q.labelled != 1 && q.labelled != q.samples:
		return nil, cli.Usage("%d rows of labels, want none, 1 or %d", q.labelled, q.samples)
	case q.keyed != 0 && q.keyed != q.samples:
		return nil, cli.Usage("%d keys, want none or %d", q.keyed, q.samples)
	}
	want := float64(q.rules) + float64(q.slots())*float64(q.outputs) + float64(q.labelled)*float64(q.targets) + float64(q.keyed)
	if k == pull {
		want += 1 + 2*float64(q.slots())*float64(q.targets)
	}
	if float64(len(c.rest)) != 8*want {
		return nil, cli.Usage("a request with %d bytes of numbers, want %.0f", len(c.rest), 8*want)
	}
	q.wantAnswers = q.flags&flagAnswers != 0 && k == value
	q.conditioned = q.labelled > 0 && q.keyed == 0 && k == value
	return q, nil
}

// solve answers a request for values or for a pull.
func (s *session) solve(k kind, body []byte) ([]byte, error) {
	q, err := s.parse(k, body)
	if err != nil {
		return nil, err
	}
	f, err := q.function()
	if err != nil {
		return nil, err
	}
	f.w, f.g = q.rest.floats(f.w, q.rules), q.rest.floats(f.g, q.slots()*q.outputs)
	if err := q.checkNumbers(f); err != nil {
		return nil, err
	}
	if err := q.fix(f); err != nil {
		return nil, err
	}
	for range q.keyed {
		q.keys = append(q.keys, q.rest.int64())
	}
	q.loadStates(f)
	f.ResetStats()
	if k == value {
		err = f.Solve(f.w, f.g)
	} else {
		q.nudge = math.Float64frombits(uint64(q.rest.int64()))
		n := q.slots() * q.targets
		f.answers, f.slopes = q.rest.floats(f.answers, n), q.rest.floats(f.slopes, n)
		if err := q.checkPull(f); err != nil {
			return nil, err
		}
		q.largest, err = f.SolvePulled(f.w, f.g, f.answers, f.slopes, q.nudge)
	}
	if err != nil {
		return nil, err
	}
	if k == value {
		q.storeStates(f)
	}
	return q.reply(f), nil
}

// function returns the value function for the request's slots.
func (q *problem) function() (*function, error) {
	for i, f := range q.functions {
		if f.Slots() == q.slots() && f.condition == q.conditioned {
			copy(q.functions[1:i+1], q.functions[:i])
			q.functions[0] = f
			return f, nil
		}
	}
	opt := q.options
	opt.Condition = q.conditioned
	v, err := bilevel.New(q.template, q.slots(), opt)
	if err != nil {
		return nil, err
	}
	f := &function{ValueFunction: v, condition: q.conditioned, warms: make([]infer.Warm, v.Slots())}
	f.labels = slices.Repeat([]float64{math.NaN()}, v.Slots()*q.targets)
	q.functions = append([]*function{f}, q.functions[:min(len(q.functions), maxFunctions-1)]...)
	return f, nil
}

// checkNumbers reports weights and outputs that make no sense.
func (q *problem) checkNumbers(f *function) error {
	for r, v := range f.w {
		if !(v >= 0) || math.IsInf(v, 0) {
			return cli.Usage("rule %d has the weight %v, want a finite number ≥ 0: %s", r+1, v, q.template.Program().Rules[r].Text)
		}
	}
	for i, v := range f.g {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return cli.Usage("slot %d: the output %d is %v", i/q.outputs, i%q.outputs, v)
		}
	}
	return nil
}

// checkPull returns an error for a request that a pull does not support.
func (q *problem) checkPull(f *function) error {
	if !(q.nudge > 0) || math.IsInf(q.nudge, 0) {
		return cli.Usage("nudge %v, want a finite number > 0", q.nudge)
	}
	for _, x := range [][]float64{f.answers, f.slopes} {
		for i, v := range x {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return cli.Usage("slot %d: the answer of target %d, or its slope, is %v", i/q.targets, i%q.targets, v)
			}
		}
	}
	return nil
}

// fix fixes the labels of the request where they differ from the last request's.
func (q *problem) fix(f *function) error {
	rows := make([]float64, q.labelled*q.targets)
	rows = q.rest.floats(rows, len(rows))
	nan := math.NaN()
	for slot := range f.Slots() {
		in, last := f.Instance(slot), f.labels[slot*q.targets:(slot+1)*q.targets]
		row := 0
		if q.labelled > 1 {
			row = slot % q.samples
		}
		for j, old := range last {
			v := nan
			if q.labelled > 0 {
				v = rows[row*q.targets+j]
			}
			if v == old || v != v && old != old {
				continue
			}
			var err error
			if v != v {
				err = in.Free(j)
			} else if err = in.Fix(j, v); err != nil {
				err = cli.Usage("slot %d: %v", slot, err)
			}
			if err != nil {
				return err
			}
			last[j] = v
		}
	}
	return nil
}

// loadStates puts the states of the samples into their slots.
func (q *problem) loadStates(f *function) {
	for slot := range f.Slots() {
		if q.keyed == 0 {
			f.Bind(slot, nil)
			continue
		}
		w := &f.warms[slot]
		f.Bind(slot, w)
		w.Dual, w.Y = w.Dual[:0], w.Y[:0]
		if from := q.states[q.keys[slot%q.samples]]; from != nil {
			w.Dual, w.Y = append(w.Dual, from.Dual...), append(w.Y, from.Y...)
		}
	}
}

// storeStates keeps the solver states of the first draw.
func (q *problem) storeStates(f *function) {
	for slot, key := range q.keys {
		from, to := f.Warm(slot), q.states[key]
		if to == nil {
			to = new(infer.Warm)
			q.states[key] = to
		}
		to.Dual, to.Y = append(to.Dual[:0], from.Dual...), append(to.Y[:0], from.Y...)
	}
}

// reply writes values and gradients.
func (q *problem) reply(f *function) []byte {
	answers := 0
	if q.wantAnswers {
		answers = q.slots() * q.targets
	}
	body := make([]byte, 0, 24+8*(2+q.slots()*(1+q.rules+q.outputs)+answers))
	stats := f.Stats()
	for _, n := range []int{q.slots(), q.rules, q.outputs, answers, stats.Unsolved, 0} {
		body = binary.LittleEndian.AppendUint32(body, uint32(n))
	}
	body = appendFloats(body, []float64{stats.Seconds})
	body = appendFloats(body, f.Values())
	for slot := range f.Slots() {
		phi, _ := f.SlotGradients(slot)
		body = appendFloats(body, phi)
	}
	for slot := range f.Slots() {
		_, dg := f.SlotGradients(slot)
		body = appendFloats(body, dg)
	}
	if q.wantAnswers {
		for slot := range f.Slots() {
			body = appendFloats(body, f.Result(slot).Y)
		}
	}
	if q.kind == pull {
		body = appendFloats(body, []float64{q.largest})
	}
	return body
}
