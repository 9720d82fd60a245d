package bench

import "time"

// CPUTime is the processor time the process has used so far on all cores; 0 where
// the system does not tell.
func CPUTime() time.Duration { return cpuTime() }
