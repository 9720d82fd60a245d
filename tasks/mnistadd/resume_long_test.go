//go:build long

package mnistadd

import "testing"

func TestResumeIsExactLong(t *testing.T) {
	for _, loss := range []string{"energy", "sp", "mse"} {
		resumeIsExact(t, loss)
	}
}
