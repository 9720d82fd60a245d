package watch

import (
	"fmt"
	"math"
	"os"
	"runtime/debug"
	runtimemetrics "runtime/metrics"
	"strconv"
	"strings"
	"time"

	"hinge/app/cli"
	"hinge/train/exit"
	"hinge/train/machine"
)

// Size is a number of bytes, 0 where there is no limit.
type Size int64

// String returns the size in the largest unit that fits.
func (s Size) String() string {
	for i, unit := range []string{"TiB", "GiB", "MiB", "KiB"} {
		if one := Size(1) << (40 - 10*i); s >= one {
			return strconv.FormatFloat(float64(s)/float64(one), 'g', 4, 64) + " " + unit
		}
	}
	return strconv.FormatInt(int64(s), 10) + " bytes"
}

// ParseSize reads a number with a unit: 800M, 1.5GiB, 2000000.
func ParseSize(text string) (Size, error) {
	number := strings.TrimRight(strings.TrimSpace(text), "iBb")
	unit := 1.0
	if n := len(number); n > 0 {
		if i := strings.IndexByte("KMGT", number[n-1]&^0x20); i >= 0 {
			unit, number = math.Ldexp(1, 10*(i+1)), number[:n-1]
		}
	}
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if v *= unit; err != nil || !(v >= 1) || v > math.MaxInt64/2 {
		return 0, fmt.Errorf("want a size such as 800M or 2GiB")
	}
	return Size(v), nil
}

// MachineMemory returns the memory of the machine, or of the control group of the process; 0
// if the system does not report it.
func MachineMemory() Size {
	least := Size(machine.This().Memory)
	for _, file := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		text, _ := os.ReadFile(file)                                        // there is none outside a control group
		v, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64) // "max" is no number
		if err == nil && v > 0 && (least == 0 || Size(v) < least) {
			least = Size(v)
		}
	}
	return least
}

// MemoryInUse is the memory that the process has from the system.
func MemoryInUse() Size {
	samples := []runtimemetrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	runtimemetrics.Read(samples)
	return Size(samples[0].Value.Uint64() - samples[1].Value.Uint64())
}

// solverGC is the collector's target where garbage is kept small.
const solverGC = 10

// CollectOften keeps the garbage small, unless GOGC is set. It is for solvers, which hold large
// arrays without pointers: these cost the collector nothing to look at.
func CollectOften() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(solverGC)
	}
}

// LimitMemory sends an error when the process uses more than the limit, until done
// is closed. The collector works harder near the limit.
func LimitMemory(limit Size, where func() string, exceeded chan<- error, done <-chan struct{}) {
	if limit == 0 {
		return
	}
	before := debug.SetMemoryLimit(int64(limit))
	tick := time.NewTicker(50 * time.Millisecond)
	go func() {
		defer debug.SetMemoryLimit(before)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
			case <-done:
				return
			}
			if MemoryInUse() > limit {
				exceeded <- cli.WithCode(exit.Usage, fmt.Sprintf("more than %v of memory are in use (-max-memory) while %s", limit, where()))
				return
			}
		}
	}()
}
