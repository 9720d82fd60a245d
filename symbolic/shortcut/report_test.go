package shortcut

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
)

// 33²⁷ is 9.997·10⁴⁰, which rounds to the next power of ten.
func TestMaps(t *testing.T) {
	for want, n := range map[string]*big.Int{
		"1 map":                big.NewInt(1),
		"999999999999999 maps": big.NewInt(999_999_999_999_999),
		"about 1.0e15 maps":    big.NewInt(1_000_000_000_000_000),
		"about 1.2e18 maps":    big.NewInt(1_234_567_890_123_456_789),
		"about 1.0e41 maps":    new(big.Int).Exp(big.NewInt(33), big.NewInt(27), nil),
	} {
		assert.Equal(t, want, maps(n))
	}
}
