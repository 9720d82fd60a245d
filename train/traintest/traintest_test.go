package traintest

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/train"
	"hinge/train/config"
	"hinge/train/learning"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(childEnv); dir != "" {
		os.Exit(child(dir, os.Getenv(fullEnv)))
	}
	os.Exit(m.Run())
}

// TestLearns: every loss learns the task.
func TestLearns(t *testing.T) {
	for _, loss := range config.CommonLosses() {
		c := Config(loss, 200)
		m, err := New(c)
		require.NoError(t, err)
		before, err := m.Evaluate(t.Context(), learning.TestPart)
		require.NoError(t, err)
		res := Run(t, c, m, train.Options{Dir: t.TempDir()})
		t.Logf("%s: %.3f before, %.3f after", loss, before.Accuracy, res.TestAccuracy)
		if res.TestAccuracy < 0.8 {
			t.Errorf("%s: accuracy %.3f after 200 steps, %.3f before", loss, res.TestAccuracy, before.Accuracy)
		}
		if len(res.Rules) != 5 || res.Rules[0].Satisfaction <= 0 || res.Rules[0].Satisfaction > 1 {
			t.Errorf("%s: rules %+v", loss, res.Rules)
		}
	}
}
