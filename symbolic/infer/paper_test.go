package infer

import (
	"testing"

	"hinge/symbolic/infer/baselines/paper"
)

func TestPaperBCDRandom(t *testing.T) {
	testFirstOrder(t, paper.PaperBCD{}, 200, 1e-5, 5000, 0.6)
}
