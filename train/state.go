package train

import (
	"fmt"
	"slices"

	"hinge/optim"
	"hinge/train/checkpoint"
)

// runState is the JSON half of a checkpoint: everything a run remembers that is
// not an array. Orders of data and noise are functions of the seed and the step
// and need no state of their own.
type runState struct {
	Config     string `json:"config"`
	ConfigHash string `json:"config_hash"`
	// Step counts completed gradient steps; Seed with it positions every random
	// generator.
	Step int    `json:"step"`
	Seed uint64 `json:"seed"`
	// AdamStep and AverageStep are the optimisers' own counters.
	AdamStep    int64 `json:"adam_step"`
	AverageStep int64 `json:"average_step"`
	// Done reports whether the model has ended the run (see LossHalf.EndEpoch).
	Done bool `json:"done,omitempty"`
	// Rules is the table of the rules of the last validation.
	Rules []Rule `json:"rules,omitempty"`
	// Early is the state of the early stop.
	Early earlyStop `json:"early_stop"`
	// WallS, SolverS, NeuralS and the counters of solves accumulate over all sittings.
	WallS float64 `json:"wall_s"`
	// PretrainS is what the pre-training before the first step took.
	PretrainS float64 `json:"pretrain_s"`
	SolverS   float64 `json:"solver_s"`
	NeuralS   float64 `json:"neural_s"`
	CommS     float64 `json:"comm_s,omitempty"`
	Unsolved  int     `json:"unsolved"`
	Solves    int     `json:"solves"`
	Evaluated int     `json:"evaluation_solves"`
	// Certificates of all of them.
	GapSum         float64 `json:"gap_sum"`
	WorstGap       float64 `json:"worst_gap"`
	WorstViolation float64 `json:"worst_violation"`
}

// uncount sets all that counts work to zero, for an evaluation's own.
func (s *runState) uncount() {
	s.SolverS, s.NeuralS, s.CommS, s.Solves, s.Evaluated, s.Unsolved = 0, 0, 0, 0, 0, 0
	s.GapSum, s.WorstGap, s.WorstViolation = 0, 0, 0
}

// earlyStop watches the validation accuracy.
type earlyStop struct {
	// Seen reports whether there was a validation; Best is the best accuracy and
	// BestStep the step of its last occurrence; Last is the newest accuracy.
	Seen     bool    `json:"seen"`
	Best     float64 `json:"best"`
	BestStep int     `json:"best_step"`
	Last     float64 `json:"last"`
	// Parts is Score.Parts where Best was measured.
	Parts float64 `json:"parts,omitempty"`
}

// update records an accuracy, with the accuracy of the parts, and reports whether it is the best
// so far. A tie counts: with few validation examples the later of two equal networks has
// seen more. With last, the newest is the best.
func (e *earlyStop) update(step int, accuracy, parts float64, last bool) bool {
	const tolerance = 1e-6
	e.Last = accuracy
	if e.Seen && !last && accuracy < e.Best-tolerance {
		return false
	}
	e.Seen, e.Best, e.BestStep, e.Parts = true, accuracy, step, parts
	return true
}

// Names of the arrays of a checkpoint that are not the model's.
const (
	tensorM       = "optimizer/adam.m"
	tensorV       = "optimizer/adam.v"
	tensorAverage = "optimizer/average"
	tensorW       = "rule_weights"
	// The weights that training goes on from, where they are not the named ones.
	tensorLast  = "last/network"
	tensorLastW = "last/rule_weights"
	// Of checkpoints before commit a81149c, whose named ones are the last weights.
	tensorBest = "best/network"
)

// tensors returns everything a checkpoint has to hold. The tensors of the model's
// own names, and rule_weights, are what a test would take: the best weights on
// validation, averaged as they were measured; before the first validation, the
// last. Moments, averages and the last weights are packed: only the ranges that
// can change, one after the other in parameter order and storage layout.
func (l *learner) tensors() []checkpoint.Tensor {
	adam := l.adam.State()
	ts := []checkpoint.Tensor{
		checkpoint.NewTensor(tensorM, pack(l.params, adam.M)),
		checkpoint.NewTensor(tensorV, pack(l.params, adam.V)),
	}
	if l.ema != nil {
		ts = append(ts, checkpoint.NewTensor(tensorAverage, pack(l.all, l.ema.State().Average)))
	}
	weights := l.model.Weights()
	if l.best.arrays != nil {
		ts = append(ts,
			checkpoint.NewTensor(tensorLast, pack(l.all, l.values())),
			checkpoint.NewTensor(tensorLastW, weights))
		weights = l.best.weights
		last := l.current()
		l.put(l.best.arrays)
		defer l.put(last)
	}
	ts = append(ts, checkpoint.NewTensor(tensorW, weights))
	return append(append(ts, l.model.Export()...), l.model.Warm()...)
}

// restore is the inverse of tensors.
func (l *learner) restore(c *checkpoint.Checkpoint, s *runState) error {
	if slices.Contains(c.Names(), tensorBest) {
		return fmt.Errorf("train: %s is of a version before commit a81149c, which keeps its best weights under other names: use the program of that time", c.Name)
	}
	if err := l.model.Import(c.Tensor); err != nil {
		return err
	}
	adam := l.adam.State()
	adam.Step = s.AdamStep
	if err := unpack(c, tensorM, l.params, adam.M); err != nil {
		return err
	}
	if err := unpack(c, tensorV, l.params, adam.V); err != nil {
		return err
	}
	if err := l.adam.SetState(adam); err != nil {
		return err
	}
	if err := checkpoint.Read(c, tensorW, l.model.Weights()); err != nil {
		return err
	}
	if s.Early.Seen {
		if err := l.restoreBoth(c); err != nil {
			return err
		}
	}
	if l.ema != nil {
		// Outside the live ranges the average is the parameter itself, which
		// Import has just set.
		ema := optim.EMAState{Step: s.AverageStep, Average: l.current()}
		if err := unpack(c, tensorAverage, l.all, ema.Average); err != nil {
			return err
		}
		if err := l.ema.SetState(ema); err != nil {
			return err
		}
	}
	return l.model.SetWarm(c.Tensor)
}

// restoreBoth sets the best and the last weights of a checkpoint whose named ones
// the model has just taken. Outside the live ranges the two are equal.
func (l *learner) restoreBoth(c *checkpoint.Checkpoint) error {
	l.keepBest()
	if err := unpack(c, tensorLast, l.all, l.values()); err != nil {
		return err
	}
	return checkpoint.Read(c, tensorLastW, l.model.Weights())
}

// values are the arrays of the model, in its own storage.
func (l *learner) values() [][]float32 {
	out := make([][]float32, len(l.all))
	for i, p := range l.all {
		out[i] = p.Value
	}
	return out
}

// current copies every array, and put copies them back.
func (l *learner) current() [][]float32 {
	out := l.values()
	for i := range out {
		out[i] = slices.Clone(out[i])
	}
	return out
}

func (l *learner) put(arrays [][]float32) {
	for i, p := range l.all {
		copy(p.Value, arrays[i])
	}
}

// pack concatenates the live ranges of one array a parameter.
func pack(params []optim.Param, arrays [][]float32) []float32 {
	var out []float32
	for i := range params {
		for _, r := range liveRanges(&params[i]) {
			out = append(out, arrays[i][r.Lo:r.Hi]...)
		}
	}
	return out
}

// unpack reads a packed tensor into the live ranges of arrays.
func unpack(c *checkpoint.Checkpoint, name string, params []optim.Param, arrays [][]float32) error {
	n := 0
	for i := range params {
		for _, r := range liveRanges(&params[i]) {
			n += r.Hi - r.Lo
		}
	}
	packed := make([]float32, n)
	if err := checkpoint.Read(c, name, packed); err != nil {
		return fmt.Errorf("train: %w", err)
	}
	for i := range params {
		for _, r := range liveRanges(&params[i]) {
			packed = packed[copy(arrays[i][r.Lo:r.Hi], packed):]
		}
	}
	return nil
}

func liveRanges(p *optim.Param) []optim.Range {
	if p.Live == nil {
		return []optim.Range{{Lo: 0, Hi: len(p.Value)}}
	}
	return p.Live
}
