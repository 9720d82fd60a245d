// Package solve is what cmd/solve does: it reads a quadratic program from a file, solves it
// (package symbolic/qp) and prints one JSON object with the solution, its certificate, or the
// proof that there is none.
//
//	os.Exit(solve.Main(os.Args[1:], os.Stdout, os.Stderr))
//
// Main is the only entrance. What it prints and its exit codes are documented with the
// command. Every mistake in a file is an error with its place; one process runs one command,
// since Main listens to signals.
package solve
