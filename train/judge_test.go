package train

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestJudge: the final weights are judged on the parts that the configuration asks
// for, in the run, in an evaluation of its folder and in result.json; a run that
// settings are chosen by never sees a test example.
func TestJudge(t *testing.T) {
	for _, c := range []struct {
		name               string
		more, fresh, blind bool
		want               []Part // beside validations
		keys               string // of result.json
	}{
		{"protocol", false, false, false, []Part{TestPart}, "test_accuracy test_examples test_parts_accuracy"},
		{"everything", true, true, false, []Part{TestPart, MoreTestPart, FreshTestPart},
			"fresh_parts_accuracy fresh_test_accuracy fresh_test_examples more_test_accuracy more_test_examples test_accuracy test_examples test_parts_accuracy"},
		{"choice", false, false, true, nil, ""},
		{"choice on more", true, false, true, []Part{MoreValidPart}, "more_valid_accuracy more_valid_examples"},
	} {
		cfg, dir := toyConfig(), t.TempDir()
		cfg.Neural.Views = 1
		cfg.Training.MoreTest, cfg.Training.FreshTest, cfg.Training.NoTest = c.more, c.fresh, c.blind
		m := newToy(1)
		res, err := Run(context.Background(), cfg, m, Options{Dir: dir})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		seen := func(m *toy) []Part {
			return slices.DeleteFunc(slices.Clone(m.parts), func(p Part) bool { return p == ValidPart || p == FinalValidPart })
		}
		again := newToy(1)
		evaluated, err := Evaluate(cfg, again, Options{Dir: dir})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if !slices.Equal(seen(m), c.want) || !slices.Equal(seen(again), c.want) {
			t.Errorf("%s: looked at %v, then at %v, want %v", c.name, seen(m), seen(again), c.want)
		}
		if m.parts[len(m.parts)-len(c.want)-1] != FinalValidPart {
			t.Errorf("%s: no final validation in %v", c.name, m.parts)
		}
		data, err := os.ReadFile(filepath.Join(dir, ResultFile))
		require.NoError(t, err)
		var stored map[string]any
		require.NoError(t, json.Unmarshal(data, &stored))
		var keys []string
		for k := range stored {
			if strings.Contains(k, "test") || strings.HasPrefix(k, "more") || strings.HasPrefix(k, "fresh") {
				keys = append(keys, k)
			}
		}
		slices.Sort(keys)
		if got := strings.Join(keys, " "); got != c.keys {
			t.Errorf("%s: result.json has %q, want %q", c.name, got, c.keys)
		}
		valid, ok := stored["valid_accuracy"].(float64)
		if !ok || valid != res.ValidAccuracy || evaluated.ValidAccuracy != valid || valid == 0 {
			t.Errorf("%s: validation %v, %v, evaluated %v", c.name, stored["valid_accuracy"], res.ValidAccuracy, evaluated.ValidAccuracy)
		}
		if c.more == (res.MoreExamples+res.MoreValidExamples != 30) || c.fresh == (res.FreshExamples != 40) || c.fresh == (res.FreshParts != 0.125) {
			t.Errorf("%s: %+v", c.name, res)
		}
		var read Result
		if err := json.Unmarshal(data, &read); err != nil || read.FreshAccuracy != res.FreshAccuracy || read.TestAccuracy != res.TestAccuracy {
			t.Errorf("%s: read back %+v, %v", c.name, read, err)
		}
	}
}

// stale is a model without fresh examples.
type stale struct{ *toy }

func (m stale) Examples(part Part) int {
	if part == FreshTestPart {
		return 0
	}
	return m.toy.Examples(part)
}

// TestJudgeRefuses: settings that contradict each other or the task end the run
// before it begins.
func TestJudgeRefuses(t *testing.T) {
	c := toyConfig()
	c.Training.FreshTest, c.Training.NoTest = true, true
	var u *UsageError
	if err := c.Validate(); !errors.As(err, &u) || u.Key != "training.no-test" {
		t.Errorf("a fresh test without a test: %v", err)
	}
	c.Training.NoTest = false
	m := newToy(1)
	_, err := Run(context.Background(), c, stale{m}, Options{Dir: t.TempDir()})
	if !errors.As(err, &u) || u.Key != "training.fresh-test" || len(m.parts) > 0 || m.warm[3] > 0 {
		t.Errorf("a fresh test where there is none: %v after %v steps", err, m.warm[3])
	}
}

// TestNewKeysLeaveOldHashes: settings that do not use the two keys keep their text,
// and so the records of their runs.
func TestNewKeysLeaveOldHashes(t *testing.T) {
	c := toyConfig()
	text, err := c.Encode()
	if err != nil || strings.Contains(string(text), "fresh-test") || strings.Contains(string(text), "no-test") {
		t.Errorf("%v\n%s", err, text)
	}
	blind := c
	blind.Training.NoTest = true
	if blind.Identity() == c.Identity() {
		t.Error("a run without a test has the hash of one with it")
	}
}
