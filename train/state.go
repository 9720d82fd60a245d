package train

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"hinge/optim"
	"hinge/train/checkpoint"
	"hinge/train/config"
	"hinge/train/learning"
)

// runState is the JSON half of a checkpoint: everything a run remembers that is
// not an array. Orders of data and noise are functions of the seed and the step
// and need no state of their own.
type runState struct {
	Config     string `json:"config"`
	ConfigHash string `json:"config_hash"`
	// Content identifies the rules and data that the run learns from and validates by; "" in checkpoints of earlier versions,
	// which have it of less data under other names.
	Content string `json:"learning_data,omitempty"`
	// Tested identifies the data to test on; "" in checkpoints of earlier versions.
	Tested string `json:"testing_data,omitempty"`
	// Step counts completed gradient steps; Seed with it positions every random
	// generator.
	Step int    `json:"step"`
	Seed uint64 `json:"seed"`
	// AdamStep and AverageStep are the optimisers' own counters.
	AdamStep    int64 `json:"adam_step"`
	AverageStep int64 `json:"average_step"`
	// Done reports whether the run has ended before its budget and its patience (see stop).
	Done bool `json:"done,omitempty"`
	// Stopped is why the run has ended, "" while it goes on.
	Stopped string `json:"stopped,omitempty"`
	// Rules is the table of the rules of the last validation.
	Rules []learning.Rule `json:"rules,omitempty"`
	// Judged is the step of the newest validation that the log has.
	Judged int `json:"judged,omitempty"`
	// Figure is Score.Figure of the last evaluation.
	Figure string `json:"figure,omitempty"`
	// Early is the state of the early stop.
	Early earlyStop `json:"early_stop"`
	// WallS, SolverS, NeuralS and the counters of solves accumulate over all sittings.
	WallS float64 `json:"wall_s"`
	// PretrainS is the duration of the pre-training before the first step.
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

// point is where a run is. After the last step a validation may follow, and the reason for the end.
type point struct {
	step, judged int
	stopped      string
}

func (s *runState) point() point { return point{s.Step, s.Judged, s.Stopped} }

// content identifies parts of the data of a model, its rules and the rule weights that it starts from.
func content(m learning.Model, parts ...learning.Part) string {
	sum := sha256.New()
	fmt.Fprintln(sum, m.Loss().Weights())
	m.Loss().DigestRules(sum)
	m.Rulebook().Digest(sum, parts...)
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

// Names of the arrays of a checkpoint that are not the model's.
const (
	tensorM       = "optimizer/adam.m"
	tensorV       = "optimizer/adam.v"
	tensorAverage = "optimizer/average"
	tensorW       = "rule_weights"
	// The weights from which training goes on, if they are not the named ones.
	tensorLast  = "last/network"
	tensorLastW = "last/rule_weights"
	// Of checkpoints before commit a81149c, whose named ones are the last weights.
	tensorBest = "best/network"
)

// tensors returns the contents of a checkpoint. The tensors with the model's names, and
// rule_weights, are the weights that a test would use: the best on validation, or with LastWeights those of the
// newest one, averaged as they were measured, or before the first validation the last weights. Moments,
// averages and the last weights are packed: only the ranges that can change, one after the
// other in parameter order and storage layout. The tensors are not copied and must be written
// before the next step.
func (l *learner) tensors() []checkpoint.Tensor {
	adam := l.adam.State()
	ts := []checkpoint.Tensor{packed(tensorM, l.params, adam.M), packed(tensorV, l.params, adam.V)}
	if l.ema != nil {
		ts = append(ts, packed(tensorAverage, l.all, l.ema.State().Average))
	}
	weights := l.loss.Weights()
	if l.best.weights != nil {
		ts = append(ts, checkpoint.PackedTensor(tensorLast, l.live), checkpoint.NewTensor(tensorLastW, weights))
		weights = l.best.weights
		l.swapBest() // Export copies
		defer l.swapBest()
	}
	ts = append(ts, checkpoint.NewTensor(tensorW, weights))
	return append(append(ts, l.net.Export()...), l.loss.Warm()...)
}

// restoreNamed reads the weights under the model's names and rule_weights, all that an evaluation
// needs. The other tensors are those of the settings that the run learned with.
func (l *learner) restoreNamed(c *checkpoint.Checkpoint) error {
	if slices.Contains(c.Names(), tensorBest) {
		return fmt.Errorf("train: %s is of a version before commit a81149c, which keeps its best weights under other names: use the program of that time", c.Name)
	}
	if err := importNetwork(l.net, c); err != nil {
		return config.Usage("out", "the weights of the run do not fit the network: %v", err)
	}
	if err := checkpoint.Read(c, tensorW, l.loss.Weights()); err != nil {
		return config.Usage("out", "the weights of the run do not fit the rules: %v", err)
	}
	return nil
}

// restore is the inverse of tensors.
func (l *learner) restore(c *checkpoint.Checkpoint, s *runState) error {
	if err := l.restoreNamed(c); err != nil {
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
	if s.Early.Seen {
		// The named tensors are the best weights; the last weights are stored besides.
		l.keepBest()
		if err := checkpoint.ReadPacked(c, tensorLast, l.live); err != nil {
			return err
		}
		if err := checkpoint.Read(c, tensorLastW, l.loss.Weights()); err != nil {
			return err
		}
	}
	if l.ema != nil {
		ema := l.ema.State()
		ema.Step = s.AverageStep
		if err := unpack(c, tensorAverage, l.all, ema.Average); err != nil {
			return err
		}
	}
	return l.loss.SetWarm(c.Tensor)
}

// packed is a tensor of the live ranges of one array a parameter, one after the other, and
// unpack reads one.
func packed(name string, params []optim.Param, arrays [][]float32) checkpoint.Tensor {
	return checkpoint.PackedTensor(name, livePieces(params, func(i int) []float32 { return arrays[i] }))
}

func unpack(c *checkpoint.Checkpoint, name string, params []optim.Param, arrays [][]float32) error {
	return checkpoint.ReadPacked(c, name, livePieces(params, func(i int) []float32 { return arrays[i] }))
}
