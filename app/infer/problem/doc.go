// Package problem is what the command infer is asked: Parse reads the command line, Session.Read a
// model with its data and what flags and model choose, and Session.Ground makes the ground program,
// minimise w·Φ(y) + ε·Σ(y_i - c_i)² over y in [0, 1]ⁿ under the hard rules, ready for a solver with
// Problem.Settings.
//
//	o, err := problem.Parse(os.Args[1:], os.Stderr)
//	s := problem.NewSession(o, stop, progress, os.Stdout)
//	in, err := s.Read(model.Infer)
//	p, err := s.Ground(in)
//
// Every mistake of the user is an error with its place and an exit code (cli.ExitCode). A Session
// is of one goroutine; signals and progress (package watch) reach it from others.
package problem
