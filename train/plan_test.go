package train

import (
	"fmt"
	"strings"
	"testing"
)

// TestPlanSolver: the solver is named for every loss of package bilevel, and for no other.
func TestPlanSolver(t *testing.T) {
	for loss, want := range map[string]string{"energy": "ipm", "sp": "ipm", "mse": "ipm", "bce": "ipm", "answer": "ipm", "chain": ""} {
		cfg := toyConfig()
		cfg.Loss, cfg.Symbolic.Solver, cfg.Neural.DrawTemperature = loss, "ipm", 0
		if got := (&run{cfg: &cfg, model: newToy(1)}).plan().Solver; got != want {
			t.Errorf("loss %s: solver %q, want %q", loss, got, want)
		}
	}
}

// TestPlanCounts: examples that fill the last batch, those that are in none of the fixed batches, and
// numbers that no gradient reaches, are not counted.
func TestPlanCounts(t *testing.T) {
	cfg := toyConfig()
	if p := (&run{cfg: &cfg, model: newToy(1)}).plan(); p.Examples != 18 || p.Parameters != 2 {
		t.Errorf("%d examples and %d learned numbers, want 18 and 2", p.Examples, p.Parameters)
	}
	cfg.Training.FixedBatches, cfg.Training.Batch = true, 7
	if p := (&run{cfg: &cfg, model: newToy(1), perEpoch: 2}).plan(); p.Examples != 14 {
		t.Errorf("%d examples, want those of two batches of 7", p.Examples)
	}
}

// TestPlanOneWeight: one rule weight is one.
func TestPlanOneWeight(t *testing.T) {
	for _, p := range []Plan{{Rules: 1}, {Rules: 1, Parameters: 2}, {Rules: 1, Parameters: 2, Frozen: true}} {
		if text := p.String(); !strings.Contains(text, "1 rule weight") || strings.Contains(text, "weights") {
			t.Error(text)
		}
	}
}

func ExamplePlan() {
	p := Plan{
		Task: "mnist-add2", System: "neupsl", Loss: "energy", Examples: 150, Batch: 15, Steps: 1000, PerEpoch: 10,
		Parameters: 4_334_855, Rules: 12, Frozen: true, Solver: "auto", Draws: 32,
	}
	fmt.Println(p)
	p.Loss, p.Solver, p.Frozen, p.Done = "chain", "", false, 400
	fmt.Println(p)
	p.System, p.Loss, p.Rules, p.Parameters = "ltn", "", 0, 12_345
	fmt.Println(p)
	p.Examples, p.Batch, p.Steps, p.Done = 1, 1, 1, 0
	fmt.Println(p)
	// Output:
	// mnist-add2: a network of 4.3 million learned numbers (frozen: 12 rule weights) on 150 examples, 15 a step, 1000 steps, by loss energy. Seconds: neural are the network's, forward and backward; symbolic are those of inference at 32 draws of its outputs (solver auto).
	// mnist-add2: a network of 4.3 million learned numbers and 12 rule weights on 150 examples, 15 a step, 1000 steps, 400 of them done, by loss chain. Seconds: neural are the network's, forward and backward; symbolic are the loss's, and those of inference in validations and tests.
	// mnist-add2: a network of 12 thousand learned numbers on 150 examples, 15 a step, 1000 steps, 400 of them done, by the loss of ltn. Seconds are of the network and its loss.
	// mnist-add2: a network of 12 thousand learned numbers on 1 example, 1 step, by the loss of ltn. Seconds are of the network and its loss.
}
