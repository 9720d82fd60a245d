package report

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/pelletier/go-toml/v2"

	"hinge/data/jsonl"
	"hinge/train/config"
	"hinge/train/learning"
	"hinge/train/record"
)

// Run holds the contents of a run folder's files.
type Run struct {
	Dir string
	// Settings holds the settings of config.toml as section.key → value.
	Settings map[string]string
	Metrics  []Metric
	// Result is nil for a run that has not ended, Shown where the model shows nothing.
	Result *record.Result
	Shown  *learning.Shown
	// Pictures are figures that an earlier version drew, by name, as data URLs.
	Pictures []Picture
	// Checkpoints reports whether there is one to go on from, or to evaluate.
	Checkpoints bool
}

// Metric is a line of metrics.jsonl, which any version may have written.
type Metric struct {
	record.Metric
	// Digits is the earlier name of Parts.
	Digits *float64 `json:"digit_accuracy"`
}

// Picture is an image that an earlier version has written.
type Picture struct {
	Name string
	URL  template.URL
}

// Load reads a run folder; the run may still be going on, and an earlier version may have made
// it. Only config.toml has to be there. A damaged file is a learning.DataError that names the
// file, and in metrics.jsonl the line.
func Load(dir string) (*Run, error) {
	r := &Run{Dir: dir}
	text, err := config.ReadFile(filepath.Join(dir, record.ConfigFile))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, &config.UsageError{Key: "report", Problem: dir + " holds no run (there is no " + record.ConfigFile + ")"}
	}
	if err != nil {
		return nil, &learning.DataError{Err: err}
	}
	if r.Settings, err = settings(filepath.Join(dir, record.ConfigFile), text); err != nil {
		return nil, err
	}
	if r.Metrics, err = jsonl.Read[Metric](filepath.Join(dir, record.MetricsFile)); err != nil {
		return nil, &learning.DataError{Err: err}
	}
	for i := range r.Metrics {
		if m := &r.Metrics[i]; m.Parts == nil {
			m.Parts = m.Digits
		}
	}
	if r.Result, err = decode[record.Result](filepath.Join(dir, record.ResultFile)); err != nil {
		return nil, err
	}
	if r.Shown, err = decode[learning.Shown](filepath.Join(dir, record.ShownFile)); err != nil {
		return nil, err
	}
	steps, err := fs.Glob(os.DirFS(dir), "step-*")
	if err != nil {
		return nil, err
	}
	r.Checkpoints = len(steps) > 0
	return r, r.pictures()
}

// decode reads a JSON file, nil where there is none.
func decode[T any](path string) (*T, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	v := new(T)
	if err == nil {
		err = json.Unmarshal(data, v)
	}
	if err != nil {
		return nil, &learning.DataError{Err: fmt.Errorf("%s: %w", path, err)}
	}
	return v, nil
}

// pictures reads the figures of earlier versions, which left no numbers of them.
func (r *Run) pictures() error {
	if r.Shown != nil {
		return nil
	}
	for _, name := range []string{"confusion.svg", "worst.svg"} {
		data, err := os.ReadFile(filepath.Join(r.Dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return &learning.DataError{Err: err}
		}
		// As an image an SVG runs no script and loads nothing.
		r.Pictures = append(r.Pictures, Picture{name, template.URL("data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(data))}) //nolint:gosec // base64
	}
	return nil
}

// settings flattens TOML to section.key → value.
func settings(path string, text []byte) (map[string]string, error) {
	var tree map[string]any
	if err := toml.Unmarshal(text, &tree); err != nil {
		if bad, ok := errors.AsType[*toml.DecodeError](err); ok {
			row, col := bad.Position()
			err = fmt.Errorf("%s:%d:%d: %w", path, row, col, err)
		}
		return nil, &learning.DataError{Err: err}
	}
	return config.Flatten(tree), nil
}

// Setting is a setting with the default value that it is compared with.
type Setting struct {
	Key, Value string
	// Default is the recipe's value, if it is known and differs.
	Default string
	Differs bool
	// About describes the setting and its permitted values; "" if this version has no such
	// setting.
	About string
}

// unset marks a setting that is not in a file: its value is zero.
const unset = "unset"

// Compare lists all settings of two runs, or of a run and its defaults, in the order of
// their keys. Value comes from a, Default from b.
func Compare(a, b map[string]string) []Setting {
	all := maps.Clone(a)
	maps.Copy(all, b)
	var out []Setting
	for _, key := range slices.SortedFunc(maps.Keys(all), byDepth) {
		s := Setting{Key: key, Value: orUnset(a, key)}
		if other := orUnset(b, key); !same(s.Value, other) {
			s.Default, s.Differs = other, true
		}
		out = append(out, s)
	}
	return out
}

// byDepth has the settings of no section first.
func byDepth(a, b string) int {
	return cmp.Or(cmp.Compare(strings.Count(a, "."), strings.Count(b, ".")), strings.Compare(a, b))
}

func orUnset(m map[string]string, key string) string {
	if v, ok := m[key]; ok {
		return v
	}
	return unset
}

// same reports whether two values are equal; a value that a file leaves out is zero.
func same(a, b string) bool {
	zero := func(s string) bool { return slices.Contains([]string{unset, "", "0", "false", "[]"}, s) }
	return a == b || zero(a) && zero(b)
}

// System returns the name of the system that learned, whichever version wrote the run.
func (r *Run) System() string { return cmp.Or(r.Settings["system"], "neupsl") }

// Steps returns the number of steps that the run has made.
func (r *Run) Steps() int {
	if r.Result != nil {
		return r.Result.Steps
	}
	for _, m := range slices.Backward(r.Metrics) {
		return m.Step
	}
	return 0
}

// State describes in words how far the run has come.
func (r *Run) State() string {
	if r.Result != nil {
		return "finished"
	}
	return fmt.Sprintf("at step %d", r.Steps())
}

// Seconds returns the seconds that the run took, all parts of an interrupted run together; of
// a run without a result it is the seconds of the steps so far.
func (r *Run) Seconds() float64 {
	if r.Result != nil {
		return r.Result.WallS
	}
	s := 0.0
	for _, m := range r.Metrics {
		s += m.SolverS + m.NeuralS
	}
	return s
}
