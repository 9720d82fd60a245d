//go:build long

package mnistadd

import "testing"

func TestResumeIsExactEnergy(t *testing.T) { resumeIsExact(t, "energy") }
