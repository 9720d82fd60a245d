//go:build long

package mnistadd

import (
	"testing"

	"hinge/bilevel"
)

func TestLossThroughNetworkAdd2(t *testing.T) {
	for _, loss := range bilevel.Losses {
		lossThroughNetwork(t, 2, loss)
	}
}
