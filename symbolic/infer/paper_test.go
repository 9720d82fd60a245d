package infer

import (
	"testing"
)

func TestPaperBCDRandom(t *testing.T) {
	testFirstOrder(t, PaperBCD{}, 200, 1e-5, 5000, 0.6)
}
