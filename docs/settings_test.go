package docs

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/optim/setting"
	"hinge/tasks/citation"
	"hinge/tasks/mnistadd"
	"hinge/tasks/paths"
	"hinge/tasks/sudoku"
	"hinge/train/config"
	"hinge/train/learning"
	"hinge/train/modelfile"
)

// tasks are those of cmd/train.
var tasks = []learning.Task{mnistadd.Task{}, citation.Task{}, sudoku.Task{}, paths.Task{}, modelfile.Task{}}

// defaults are those of a task by its first name; a model file needs a name to be valid.
func defaults(t *testing.T, task learning.Task) config.Config {
	t.Helper()
	c, err := task.Defaults(config.Config{Task: task.Names()[0], Recipe: "best", System: "neupsl"})
	require.NoError(t, err)
	if o, ok := c.Options.(*modelfile.Options); ok {
		o.Model = "model.json"
	}
	return c
}

// TestSettingsAreDeclared: every setting of every task says what it is, has a range unless
// any text or either truth will do, and a default that is in it.
func TestSettingsAreDeclared(t *testing.T) {
	free := []string{"task", "rules", "options.model", "neural.init", "neural.freeze", "neural.rates", "options.threshold"} // any text, or text that Validate checks
	for _, task := range tasks {
		c := defaults(t, task)
		assert.NoErrorf(t, c.Validate(), "the defaults of %s", c.Task)
		for _, s := range c.Settings() {
			if s.Doc == "" || strings.HasSuffix(s.Doc, ".") || strings.ContainsAny(s.Doc, "\n|") {
				t.Errorf("%s: %s is documented as %q", c.Task, s.Key, s.Doc)
			}
			if s.Range.String() == "" && s.Value.Kind() != reflect.Bool && !slices.Contains(free, s.Key) {
				t.Errorf("%s: %s has no range", c.Task, s.Key)
			}
			assert.NoErrorf(t, s.Check(), "the default of %s", c.Task)
		}
	}
}

// outside lists values just outside the range of a setting.
func outside(s *setting.Setting) []any {
	if s.Range.Choices != nil {
		return []any{"none of them"}
	}
	if s.Range.Text == "" {
		return nil
	}
	from, to, _ := strings.Cut(strings.Trim(s.Range.Text, "[]()"), ", ")
	low, _ := strconv.ParseFloat(from, 64)
	high, _ := strconv.ParseFloat(to, 64)
	open := func(i int) bool { return strings.ContainsRune("()", rune(s.Range.Text[i])) }
	var at []float64
	if !math.IsInf(low, 0) {
		if open(0) && !(low == 0 && s.Zero != "") { // of zero something else may be said
			at = append(at, low)
		}
		at = append(at, low-1)
		if s.Zero != "" && low-1 == 0 {
			at[len(at)-1] = low - 2
		}
	}
	if !math.IsInf(high, 0) && s.Value.Kind() != reflect.Uint64 {
		if open(len(s.Range.Text) - 1) {
			at = append(at, high)
		}
		at = append(at, high+1)
	}
	var out []any
	for _, x := range at {
		switch s.Value.Kind() {
		case reflect.Float64:
			out = append(out, x)
		case reflect.Slice:
			out = append(out, []int64{int64(x)})
		default:
			out = append(out, int64(x))
		}
	}
	if s.Value.Kind() == reflect.Float64 {
		out = append(out, math.NaN())
	}
	return out
}

// TestRangesAreEnforced: each setting of each task, just outside its range, is an error
// that names it and says what it may be.
func TestRangesAreEnforced(t *testing.T) {
	for _, task := range tasks {
		at := defaults(t, task)
		tried := 0
		for _, s := range at.Settings() {
			for _, v := range outside(&s) {
				c := defaults(t, task)
				err := c.Set(s.Key, v)
				if _, whole := v.(int64); err != nil && whole && s.Value.Kind() == reflect.Uint64 {
					continue // negative: the file is refused where it is read
				}
				if err != nil {
					t.Errorf("%s: %s = %v: %v", c.Task, s.Key, v, err)
					continue
				}
				tried++
				err = c.Validate()
				var u *config.UsageError
				says := s.Range.String()
				if x, ok := v.(float64); ok && math.IsNaN(x) {
					says = "finite"
				}
				if !errors.As(err, &u) || u.Key != s.Key || !strings.Contains(u.Problem, says) {
					t.Errorf("%s: %s = %v: got %v, want an error that says %q", c.Task, s.Key, v, err, says)
				}
			}
		}
		assert.GreaterOrEqual(t, tried, 80, at.Task)
	}
}

// TestTestedWeights: docs/TRAINING.md says of which tasks the last weights are tested by default, and of
// which the best on validation.
func TestTestedWeights(t *testing.T) {
	assert.Contains(t, strings.Join(strings.Fields(read(t, "docs/TRAINING.md")), " "),
		"Runs with `training.last-weights`, the default of recipe `best` except for model files, test the last weights; others test the best on validation.")
	for _, task := range tasks {
		_, file := task.(modelfile.Task)
		assert.Equal(t, !file, defaults(t, task).Training.LastWeights, task.Names()[0])
	}
}
