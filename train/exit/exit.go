// Package exit holds the exit codes that all commands share, so that scripts
// can tell the outcomes apart.
package exit

// Exit codes of the commands.
const (
	// OK: done.
	OK = 0
	// Internal: an error that is the program's own.
	Internal = 1
	// Usage: bad flags, configuration, model or rules.
	Usage = 2
	// Data: bad or missing data, checkpoints included.
	Data = 3
	// Infeasible: hard rules that contradict each other.
	Infeasible = 4
	// Unsolved: a solve failed its outside check, or has not converged where convergence
	// was required.
	Unsolved = 5
	// Interrupted by SIGINT.
	Interrupted = 130
	// Terminated by SIGTERM or SIGHUP.
	Terminated = 143
)
