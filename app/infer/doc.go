// Package infer is the command cmd/infer: it reads a model in the reference system's format,
// learns its weights if there are data to learn from, grounds it, finds the MAP state, judges,
// explains and writes it.
//
//	os.Exit(infer.Main(os.Args[1:], cluster.Joint))
//
// Main is the only entrance. What it prints and its exit codes are documented
// with the command. Every mistake of the user is an error with its place and an
// exit code; one process runs one command, since Main listens to signals.
//
// The command is a list of stages. Each stage takes the result of the stage before and returns
// a value that contains it:
//
//	Read       Input      the model with its data, and what flags and model choose
//	learn      learned    rule weights, where they are to be learned
//	Ground     Problem    the ground program with the outputs of the networks
//	WarnAbout             warnings, which -strict makes an error
//	solve      solution   the MAP state, by a solver or a search for integer values
//	verdict               what the outcome of the solve means
//	explain    explained  the forces on atoms
//	write                 files and the summary
//
// The stages Read, Ground and WarnAbout, and the flags, are in package problem.
//
// -shortcuts is a command of its own: it counts what the concepts of the networks could mean
// (package shortcut), and infers nothing.
//
// One of several ranks (type rank) goes through the same stages together with the others.
package infer
