package tensorboard

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"hinge/bilevel"
	"hinge/train/learning"
	"hinge/train/record"
)

// pattern are the names of event files of ours.
const pattern = "events.out.tfevents.*.hinge"

// Write makes the event file of a run folder from the files that are there, and replaces an
// older event file.
func Write(dir string) error {
	f, err := open(dir)
	if err != nil {
		return err
	}
	err = f.update()
	if err == nil {
		err = f.show()
	}
	return errors.Join(err, f.out.Close())
}

// folder is a run folder whose metrics go into an event file line by line.
type folder struct {
	dir    string
	out    *os.File
	offset int64 // of metrics.jsonl, read so far
	line   int
	base   float64 // time of the settings
	worked float64 // seconds
	step   int
}

// open begins an event file.
func open(dir string) (*folder, error) {
	info, err := os.Stat(filepath.Join(dir, record.ConfigFile))
	if err != nil {
		return nil, &learning.DataError{Err: err}
	}
	old, err := fs.Glob(os.DirFS(dir), pattern)
	if err != nil {
		return nil, err
	}
	for _, name := range old {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			return nil, err
		}
	}
	f := &folder{dir: dir, base: float64(info.ModTime().UnixNano()) / 1e9}
	name := fmt.Sprintf("events.out.tfevents.%d.hinge", info.ModTime().Unix())
	if f.out, err = os.Create(filepath.Join(dir, name)); err != nil {
		return nil, err
	}
	if err := writeRecord(f.out, versionEvent(f.base)); err != nil {
		return nil, errors.Join(err, f.out.Close())
	}
	return f, nil
}

// update writes the events of the lines that are new.
func (f *folder) update() error {
	path := filepath.Join(f.dir, record.MetricsFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for {
		line, _, whole := bytes.Cut(text[min(f.offset, int64(len(text))):], []byte("\n"))
		if !whole {
			return nil
		}
		f.offset += int64(len(line)) + 1
		f.line++
		var m record.Metric
		if err := json.Unmarshal(line, &m); err != nil {
			return &learning.DataError{Err: fmt.Errorf("%s:%d: %w", path, f.line, err)}
		}
		f.worked += m.NeuralS + m.SolverS
		f.step = m.Step
		if err := f.write(metric(&m)); err != nil {
			return err
		}
	}
}

func (f *folder) write(e *event) error {
	b := e.encode(f.base+f.worked, f.step)
	if b == nil {
		return nil
	}
	return writeRecord(f.out, b)
}

// metric is a line as an event.
func metric(m *record.Metric) *event {
	e, part := new(event), string(m.Split)
	some := func(tag string, v float64) {
		if v != 0 {
			e.scalar(part+"/"+tag, v)
		}
	}
	if m.Loss != nil {
		e.scalar(part+"/loss", *m.Loss)
	}
	if m.Accuracy != nil {
		e.scalar(part+"/"+cmp.Or(m.Figure, "accuracy"), *m.Accuracy)
	}
	for _, name := range slices.Sorted(maps.Keys(m.Networks)) {
		e.scalar(part+"/"+name, m.Networks[name])
	}
	some("parts_accuracy", m.Parts)
	some("output_entropy", m.Entropy)
	some("learning_rate", m.LearningRate)
	some("temperature", m.Temperature)
	some("grad_norm", m.GradNorm)
	some("neural_seconds", m.NeuralS)
	some("symbolic_seconds", m.SolverS)
	some("unsolved", float64(m.Unsolved))
	some("worst_gap", m.WorstGap)
	if m.Terms != nil {
		terms(e, m.Terms)
	}
	if o := m.Outcome; o != nil {
		e.scalar("epoch_end/stationarity", o.Delta)
		e.scalar("epoch_end/tolerance", o.Omega)
		e.scalar("epoch_end/penalty", o.Penalty)
		e.scalar("epoch_end/relaxation", o.Relaxation)
	}
	if len(m.Rules) > 0 {
		var weights, satisfaction []float64
		for _, r := range m.Rules {
			weights, satisfaction = append(weights, r.Weight), append(satisfaction, r.Satisfaction)
		}
		e.histogram("rules/weight", weights)
		e.histogram("rules/satisfaction", satisfaction)
	}
	return e
}

// terms are the parts of a bilevel loss.
func terms(e *event, t *bilevel.Terms) {
	for _, term := range []struct {
		tag   string
		value float64
	}{
		{"supervised", t.Supervised}, {"energy", t.Energy}, {"linear", t.Linear}, {"quadratic", t.Quadratic},
		{"lagrangian", t.Lagrangian}, {"gap", t.Gap}, {"violation", t.Violation}, {"slack", t.Slack},
	} {
		e.scalar("terms/"+term.tag, term.value)
	}
}
