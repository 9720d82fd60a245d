package train

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"hinge/train/exit"
)

// pretrained is a toy that can be pre-trained.
type pretrained struct {
	*toy
	calls int
}

func (m *pretrained) Pretrain(ctx context.Context, note func(string)) (float64, error) {
	m.calls++
	note("pre-training")
	m.value[0] = 5
	return 12, ctx.Err()
}

// TestPretrain: pre-training comes before the first step, once, and its time is
// part of the result, also of a run that was resumed.
func TestPretrain(t *testing.T) {
	dir := t.TempDir()
	c := toyConfig()
	c.Neural.Pretrain = "simclr"
	c.Training.Steps, c.Training.Epochs = 4, 0
	m := &pretrained{toy: newToy(1)}
	ctx, cancel := context.WithCancel(context.Background())
	m.afterStep = func(step int) {
		if step == 0 && m.value[0] < 4 {
			t.Errorf("the first step starts from %v, not from the pre-training", m.value[0])
		}
		if step == 1 {
			cancel()
		}
	}
	if _, err := Run(ctx, c, m, Options{Dir: dir}); !errors.Is(err, ErrInterrupted) {
		t.Fatalf("error %v", err)
	}
	again := &pretrained{toy: newToy(1)}
	if _, err := Run(context.Background(), c, again, Options{Dir: dir}); ExitCode(err) != exit.Usage || again.calls != 0 {
		t.Errorf("a folder with a run: %v after %d pre-trainings, want none", err, again.calls)
	}
	res := ran(t, c, again, Options{Dir: dir, Resume: true})
	if res.PretrainS != 12 || m.calls != 1 || again.calls != 0 {
		t.Errorf("pre-training of %v s, %d and %d calls; want 12 s, 1 and 0", res.PretrainS, m.calls, again.calls)
	}
}

// TestPretrainErrors: interruption is an interruption, and a model that cannot be
// pre-trained refuses.
func TestPretrainErrors(t *testing.T) {
	c := toyConfig()
	c.Neural.Pretrain = "simclr"
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	res, err := Run(ended, c, &pretrained{toy: newToy(1)}, Options{Dir: t.TempDir()})
	assert.Less(t, res.WallS, 1e6)
	if !errors.Is(err, ErrInterrupted) || ExitCode(err) != exit.Interrupted {
		t.Errorf("interrupted: %v, exit code %d", err, ExitCode(err))
	}
	_, err = Run(context.Background(), c, newToy(1), Options{Dir: t.TempDir()})
	assert.Equalf(t, exit.Usage, ExitCode(err), "a model without pre-training: %v", err)
}

// TestInitOfATaskWithout: who cannot begin with weights says so.
func TestInitOfATaskWithout(t *testing.T) {
	c := toyConfig()
	c.Neural.Init = "x.safetensors"
	_, err := Run(context.Background(), c, newToy(1), Options{Dir: t.TempDir()})
	if err == nil || !strings.Contains(err.Error(), "takes no weights of a file") {
		t.Error(err)
	}
	c.Neural.Pretrain = "simclr"
	assert.ErrorContains(t, c.Validate(), "would overwrite")
}
