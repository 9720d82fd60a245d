// Package record has the files that a run leaves in its folder, for programs that write or read
// them: config.toml, metrics.jsonl with a Metric a line, result.json with the Result, shown.json.
// A line of the log is complete or absent, and a Replaced file old or new. A Log is used by one
// goroutine at a time.
package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"hinge/bilevel"
	"hinge/symbolic/facts"
	"hinge/train/learning"
)

// Metric is one line of metrics.jsonl.
type Metric struct {
	Step  int           `json:"step"`
	Epoch int           `json:"epoch"`
	Split learning.Part `json:"split"`
	// Loss is the mean loss of the batch (train only), Accuracy the fraction of
	// right answers, or the figure that Figure names (valid and test only); nil where there is
	// nothing to evaluate.
	Loss     *float64 `json:"loss,omitempty"`
	Accuracy *float64 `json:"accuracy,omitempty"`
	Figure   string   `json:"figure,omitempty"`
	// Parts is the accuracy of the network alone on the parts of examples, Networks that of
	// each of several networks, Entropy the mean entropy of their outputs (valid and test
	// only; see Score).
	Parts    *float64           `json:"parts_accuracy,omitempty"`
	Networks map[string]float64 `json:"networks,omitempty"`
	Entropy  *float64           `json:"output_entropy,omitempty"`
	// Terms are the parts of the loss (train only, bilevel losses), Outcome is the change of
	// the parameters at the end of an epoch, Rules the table of the rules (valid only).
	Terms   *bilevel.Terms   `json:"terms,omitempty"`
	Outcome *bilevel.Outcome `json:"epoch_end,omitempty"`
	Rules   []learning.Rule  `json:"rules,omitempty"`
	// LearningRate and Temperature belong to the step, GradNorm is the gradient's norm
	// before clipping (train only).
	LearningRate float64  `json:"learning_rate,omitempty"`
	Temperature  float64  `json:"temperature,omitempty"`
	GradNorm     *float64 `json:"grad_norm,omitempty"`
	// SolverS and NeuralS are wall seconds; they alone differ between two runs
	// of one configuration.
	SolverS float64 `json:"solver_s"`
	NeuralS float64 `json:"neural_s"`
	// CommS is the time in which rank 0 of a job added gradients (see Work.CommSeconds).
	CommS float64 `json:"comm_s,omitempty"`
	// Solves counts quadratic programs, Unsolved those that stopped before their gap closed.
	Solves   int `json:"solves,omitempty"`
	Unsolved int `json:"unsolved,omitempty"`
	// WorstGap and WorstViolation are the largest of those programs (train only; nil where there are none). See Work.
	WorstGap       *float64 `json:"worst_gap,omitempty"`
	WorstViolation *float64 `json:"worst_violation,omitempty"`
	// DrawSpread is how far V differs between the draws of an example (train only; see Work).
	DrawSpread float64 `json:"draw_spread,omitempty"`

	// Examples is the number that Accuracy is taken over; it is not in the file.
	Examples int `json:"-"`
}

// Add fills in what was worked.
func (m *Metric) Add(w learning.Work) {
	m.SolverS, m.NeuralS, m.CommS = w.SolverSeconds, w.NeuralSeconds, w.CommSeconds
	m.Solves, m.Unsolved = w.Solves, w.Unsolved
	if m.Split == learning.TrainPart {
		m.DrawSpread = w.DrawSpread
		if w.Solves > 0 {
			m.WorstGap, m.WorstViolation = &w.WorstGap, &w.WorstViolation
		}
	}
}

// Result is result.json.
type Result struct {
	Task   string `json:"task"`
	Loss   string `json:"loss"`
	Recipe string `json:"recipe"`
	Split  int    `json:"split"`
	Seed   uint64 `json:"seed"`
	// Figure names what all accuracies are where they are no fractions of right answers.
	Figure string `json:"figure,omitempty"`
	// Both are left out of the file, and zero here, where there was no test.
	TestAccuracy float64 `json:"test_accuracy"`
	TestExamples int     `json:"test_examples"`
	// TestParts and ValidParts are the Score.Parts that belong to these accuracies, where the task
	// knows the parts.
	TestParts  *float64 `json:"test_parts_accuracy,omitempty"`
	ValidParts *float64 `json:"valid_parts_accuracy,omitempty"`
	// MoreAccuracy is measured on MoreTestPart, and so is MoreValidAccuracy if these examples
	// count as validation.
	MoreAccuracy      float64 `json:"more_test_accuracy,omitempty"`
	MoreExamples      int     `json:"more_test_examples,omitempty"`
	MoreValidAccuracy float64 `json:"more_valid_accuracy,omitempty"`
	MoreValidExamples int     `json:"more_valid_examples,omitempty"`
	// FreshAccuracy is taken over FreshTestPart, FreshParts
	// is their Score.Parts.
	FreshAccuracy float64  `json:"fresh_test_accuracy,omitempty"`
	FreshExamples int      `json:"fresh_test_examples,omitempty"`
	FreshParts    *float64 `json:"fresh_parts_accuracy,omitempty"`
	// More are the figures of a Reporter.
	More map[string]float64 `json:"more,omitempty"`
	// ValidAccuracy is the accuracy of the tested weights, on FinalValidPart if there is one.
	ValidAccuracy float64 `json:"valid_accuracy"`
	// Unjudged reports whether nothing could be evaluated: there is no ValidAccuracy, and the
	// weights are the last, of BestStep.
	Unjudged bool `json:"unjudged,omitempty"`
	BestStep int  `json:"best_step"`
	Steps    int  `json:"steps"`
	// Stopped is why there were not more steps: see StoppedSteps and its like. Results of
	// earlier versions have none.
	Stopped string `json:"stopped,omitempty"`
	// WallS is the wall time of all sittings of the run, SolverS and NeuralS
	// the parts of it spent in the symbolic and the neural half.
	WallS   float64 `json:"wall_s"`
	SolverS float64 `json:"solver_s"`
	NeuralS float64 `json:"neural_s"`
	// CommS is the part in which ranks added gradients, waiting included, and Ranks
	// their number; both are left out for a run of one process. All times are rank 0's.
	CommS float64 `json:"comm_s,omitempty"`
	Ranks int     `json:"ranks,omitempty"`
	// Solves counts the quadratic programs of training's steps (without the starting points of
	// the bilevel losses), EvaluationSolves the solves of validations and tests, Unsolved the
	// solves of both kinds that stopped before they reached the gap.
	Solves           int `json:"solves"`
	EvaluationSolves int `json:"evaluation_solves"`
	Unsolved         int `json:"unsolved"`
	// Certificates sum up how near the programs, both kinds, came to their optima; nil
	// where none was solved.
	Certificates *Certificates `json:"certificates,omitempty"`
	// Rules is the table of the rules at the last validation, with the weights
	// that were tested.
	Rules []learning.Rule `json:"rules,omitempty"`
	// RulesFrozen reports whether the weights were not learned (Symbolic.FreezeRules).
	RulesFrozen bool `json:"rules_frozen,omitempty"`
	// PretrainS is the time of the pre-training, which is not part of WallS.
	PretrainS  float64 `json:"pretrain_s,omitempty"`
	ConfigHash string  `json:"config_hash"`
	Version    string  `json:"version"`
	// Machine is the machine that the run ended on.
	Machine string `json:"machine,omitempty"`
}

// Why a run has ended: Result.Stopped.
const (
	StoppedSteps    = "steps"    // the budget is spent
	StoppedPatience = "patience" // no better validation for Training.Patience steps
	StoppedGap      = "gap"      // the loss has come to its end: M − V is small
	StoppedMovement = "movement" // the rule weights hardly move (Symbolic.Movement)
	StoppedSeconds  = "seconds"  // the time of learning is over (Training.Seconds)
)

// Endings say in words why a run has ended.
var Endings = map[string]string{
	StoppedSteps: "all that were asked for", StoppedPatience: "as the evaluation has not improved", StoppedGap: "as M − V is small",
	StoppedMovement: "as the weights hardly move", StoppedSeconds: "as its time is over",
}

// Shown returns an accuracy as people read it: a share in per cent, or a figure by its name.
func Shown(figure string, value float64) string {
	if figure == "" {
		return fmt.Sprintf("accuracy %.2f%%", 100*value)
	}
	return fmt.Sprintf("%s %.4f", figure, value)
}

// Further returns a figure of Result.More as people read it: a share in per cent, an error or a
// threshold as it is.
func Further(name string, value float64) string {
	label := strings.ReplaceAll(name, "_", " ")
	for _, end := range []string{"mse", "mae", "threshold"} {
		if strings.HasSuffix(name, end) {
			return fmt.Sprintf("%s %.4f", label, value)
		}
	}
	return fmt.Sprintf("%s %.2f%%", label, 100*value)
}

// Certificates are about all programs of a run. Gap and violation are recomputed from
// the problem when a solve ends.
type Certificates struct {
	// Tolerance is the configured primal–dual gap of a component. WorstGap is the largest gap
	// that occurred, MeanGap the mean over programs of each program's largest gap.
	Tolerance float64 `json:"gap_tolerance"`
	WorstGap  float64 `json:"worst_gap"`
	MeanGap   float64 `json:"mean_gap"`
	// WorstViolation is the largest violation of a hard rule.
	WorstViolation float64 `json:"worst_violation"`
	// Checked reports whether each was also checked outside the solver (Symbolic.Check).
	Checked bool `json:"checked"`
}

// Names of the files of a run folder.
const (
	MetricsFile = "metrics.jsonl"
	ResultFile  = "result.json"
	ConfigFile  = "config.toml"
	ShownFile   = "shown.json" // the report of the last test
)

// Log appends to metrics.jsonl, each line by one write.
type Log struct {
	f *os.File
}

// OpenLog opens the log of a run folder and drops the lines that a run resumed after step
// writes again: the lines after step, the lines about the final weights, and, where judged is false, the validation of
// step, which the run made after that checkpoint. Lines that cannot be read, such as an
// incomplete last one, are dropped, too. lost is how many of the steps up to step have no line.
func OpenLog(dir string, step int, judged bool) (log *Log, lost int, err error) {
	path := filepath.Join(dir, MetricsFile)
	old, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		return nil, 0, err
	}
	lost = step
	var kept []byte
	for line := range bytes.Lines(old) {
		var m Metric
		if json.Unmarshal(line, &m) != nil || m.Step > step || m.Split.Final() || !judged && m.Step == step && m.Split == learning.ValidPart {
			continue
		}
		if m.Split == learning.TrainPart {
			lost--
		}
		kept = append(append(kept, bytes.TrimSuffix(line, []byte{'\n'})...), '\n')
	}
	if len(kept) != len(old) {
		if err := facts.Replace(path, kept); err != nil {
			return nil, 0, err
		}
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, 0, err
	}
	return &Log{f}, lost, nil
}

// Write appends a line. A rank that writes nothing has a nil log, which drops it.
func (l *Log) Write(m Metric) error {
	if l == nil {
		return nil
	}
	line, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("train: metrics of step %d: %w", m.Step, err)
	}
	_, err = l.f.Write(append(line, '\n'))
	return err
}

func (l *Log) Close() error {
	if l == nil {
		return nil
	}
	return l.f.Close()
}

// ReadResult reads result.json of a run folder.
func ReadResult(dir string) (res Result, err error) {
	data, err := os.ReadFile(filepath.Join(dir, ResultFile))
	if err == nil {
		err = json.Unmarshal(data, &res)
	}
	return res, err
}

// WriteResult writes result.json.
func WriteResult(dir string, r Result) error {
	// An accuracy that was not measured must not read as zero, and one of zero stands there.
	measured := func(accuracy *float64, where bool) *float64 {
		if where {
			return accuracy
		}
		return nil
	}
	all := struct {
		Result
		TestAccuracy      *float64 `json:"test_accuracy,omitempty"`
		TestExamples      int      `json:"test_examples,omitempty"`
		ValidAccuracy     *float64 `json:"valid_accuracy,omitempty"`
		MoreAccuracy      *float64 `json:"more_test_accuracy,omitempty"`
		MoreValidAccuracy *float64 `json:"more_valid_accuracy,omitempty"`
		FreshAccuracy     *float64 `json:"fresh_test_accuracy,omitempty"`
	}{
		r, measured(&r.TestAccuracy, r.TestExamples > 0), r.TestExamples, measured(&r.ValidAccuracy, !r.Unjudged),
		measured(&r.MoreAccuracy, r.MoreExamples > 0), measured(&r.MoreValidAccuracy, r.MoreValidExamples > 0),
		measured(&r.FreshAccuracy, r.FreshExamples > 0),
	}
	data, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	return facts.Replace(filepath.Join(dir, ResultFile), append(data, '\n'))
}
