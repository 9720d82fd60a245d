//go:build long

package checkpoint

import "testing"

func TestCrashesLong(t *testing.T)   { crashSchedules(t, 12, 40, false) }
func TestLyingDiskLong(t *testing.T) { crashSchedules(t, 12, 20, true) }
