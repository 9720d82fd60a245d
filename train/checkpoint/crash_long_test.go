//go:build long

package checkpoint

import "testing"

func TestCrashesLong(t *testing.T) { crashSchedules(t, 12, 40) }

func TestLyingDiskLong(t *testing.T) { lyingSchedules(t, 12, 20) }
