// Package infer is what cmd/infer does: it reads a model of the reference
// system's format, learns its weights where it has data to learn from, grounds
// it, finds the MAP state, judges, writes and reports it.
//
//	os.Exit(infer.Main(os.Args[1:], cluster.Joint))
//
// Main is the only entrance. What it prints and its exit codes are documented
// with the command. Every mistake of the user is an error with its place and an
// exit code; one process runs one command, since Main listens to signals.
package infer
