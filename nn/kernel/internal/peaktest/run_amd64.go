//go:build amd64

package peaktest

import "github.com/klauspost/cpuid/v2"

// run does n rounds and returns the number of operations in them.
func run(n int) int {
	switch {
	case cpuid.CPU.Supports(cpuid.AVX512F):
		fmaAVX512(n)
		return n * 12 * 16 * 2
	case cpuid.CPU.Supports(cpuid.AVX2, cpuid.FMA3):
		fmaAVX2(n)
		return n * 12 * 8 * 2
	}
	return 0
}
