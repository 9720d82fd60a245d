package train

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/train/config"
	"hinge/train/learning"
	"hinge/train/record"
)

// TestJudge: validations between steps, the final weights' validation and their tests are each
// of their own part, and only of those that the configuration asks for, in the run, in an
// evaluation of its folder and in result.json; each figure is that of its part. A run that
// settings are chosen by never sees a test example. An accuracy of 0 is one.
func TestJudge(t *testing.T) {
	const test = "test_accuracy test_examples test_parts_accuracy"
	const more, fresh = "more_test_accuracy more_test_examples", "fresh_parts_accuracy fresh_test_accuracy fresh_test_examples"
	for _, c := range []struct {
		name               string
		views              int
		more, fresh, blind bool
		end                []learning.Part
		keys               string // of result.json
	}{
		{"protocol", 0, false, false, false, []learning.Part{learning.TestPart}, test},
		{"views", 4, false, false, false, []learning.Part{learning.FinalValidPart, learning.TestPart}, test},
		{"more", 0, true, false, false, []learning.Part{learning.TestPart, learning.MoreTestPart}, more + " " + test},
		{"everything", 4, true, true, false, []learning.Part{learning.FinalValidPart, learning.TestPart, learning.MoreTestPart, learning.FreshTestPart}, fresh + " " + more + " " + test},
		{"choice", 1, false, false, true, []learning.Part{learning.FinalValidPart}, ""},
		{"choice on more", 1, true, false, true, []learning.Part{learning.FinalValidPart, learning.MoreValidPart}, "more_valid_accuracy more_valid_examples"},
	} {
		cfg, dir := toyConfig(), t.TempDir()
		cfg.Neural.Views = c.views
		cfg.Training.MoreTest, cfg.Training.FreshTest, cfg.Training.NoTest = c.more, c.fresh, c.blind
		m, again := &judged{toy: newToy(1), valid: []float64{0.1, 0.4, 0.3, 0.2, 0.1, 0.1}}, &judged{toy: newToy(1)}
		res := ran(t, cfg, m, Options{Dir: dir})
		evaluated, err := Evaluate(context.Background(), cfg, again, Options{Dir: dir})
		require.NoError(t, err)
		assert.Equal(t, append(slices.Repeat([]learning.Part{learning.ValidPart}, 6), c.end...), m.parts, c.name)
		assert.Equal(t, append([]learning.Part{learning.ValidPart}, c.end...), again.parts, c.name)
		for k, r := range []record.Result{res, evaluated} {
			value := func(p *float64) float64 {
				if p == nil {
					return 0
				}
				return *p
			}
			want := [11]float64{[]float64{0.4, 0.7}[k]}
			for _, part := range c.end {
				s := judgement[part]
				figures := []float64{s.Accuracy, float64(s.Examples), value(s.Parts)}
				switch part {
				case learning.FinalValidPart:
					copy(want[0:1], figures)
				case learning.TestPart:
					copy(want[1:4], figures)
				case learning.MoreTestPart:
					copy(want[4:6], figures)
				case learning.MoreValidPart:
					copy(want[6:8], figures)
				case learning.FreshTestPart:
					copy(want[8:11], figures)
				}
			}
			assert.Equal(t, want, [11]float64{
				r.ValidAccuracy, r.TestAccuracy, float64(r.TestExamples), value(r.TestParts), r.MoreAccuracy, float64(r.MoreExamples),
				r.MoreValidAccuracy, float64(r.MoreValidExamples), r.FreshAccuracy, float64(r.FreshExamples), value(r.FreshParts),
			}, c.name)
			assert.Equal(t, 10, r.BestStep, c.name)
		}
		data, err := os.ReadFile(filepath.Join(dir, record.ResultFile))
		require.NoError(t, err)
		var read record.Result
		require.NoError(t, json.Unmarshal(data, &read))
		assert.Equal(t, res, read, c.name)
		var stored map[string]any
		require.NoError(t, json.Unmarshal(data, &stored))
		keys := slices.DeleteFunc(slices.Sorted(maps.Keys(stored)), func(k string) bool {
			return !strings.Contains(k, "test") && !strings.HasPrefix(k, "more") && !strings.HasPrefix(k, "fresh")
		})
		assert.Equal(t, c.keys, strings.Join(keys, " "), c.name)
	}
}

// stale is a model without examples of a part.
type stale struct {
	*toy
	none learning.Part
}

func (m stale) Examples(part learning.Part) int {
	if part == m.none {
		return 0
	}
	return m.toy.Examples(part)
}

// TestJudgeRefuses: settings that contradict each other or the task end the run
// before it begins.
func TestJudgeRefuses(t *testing.T) {
	c := toyConfig()
	c.Training.FreshTest, c.Training.NoTest = true, true
	var u *config.UsageError
	if err := c.Validate(); !errors.As(err, &u) || u.Key != "training.no-test" {
		t.Errorf("a fresh test without a test: %v", err)
	}
	c.Training.NoTest = false
	m := newToy(1)
	_, err := Run(context.Background(), c, stale{m, learning.FreshTestPart}, Options{Dir: t.TempDir()})
	if !errors.As(err, &u) || u.Key != "training.fresh-test" || len(m.parts) > 0 || m.warm[3] > 0 {
		t.Errorf("a fresh test where there is none: %v after %v steps", err, m.warm[3])
	}
	c.Training.FreshTest = false
	for _, none := range []learning.Part{learning.ValidPart, learning.TestPart} {
		_, err := Run(context.Background(), c, stale{m, none}, Options{Dir: t.TempDir()})
		require.ErrorContains(t, err, "train: the part "+string(none)+" has no examples")
		assert.ErrorAs(t, err, new(*learning.DataError))
		assert.Zero(t, m.warm[3], "steps")
	}
	c.Training.NoTest = true
	_, err = Run(context.Background(), c, stale{m, learning.TestPart}, Options{Dir: t.TempDir()})
	require.NoError(t, err)
}
