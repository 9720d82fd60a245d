// Command mutants checks the tests: it puts one fault after the other into the code and
// asks whether the tests that are there for it fail.
//
// The faults are in mutations.toml, written by hand, each with the tests that have to
// notice it. The tree is not touched: the go command reads the changed file through
// -overlay. A fault that no test notices, one whose text is not in its file any more, one
// that does not compile and one at which the tests hang are errors, as are tests that fail
// without any fault. Tests run without HINGE_DATA and HINGE_CASES, so that what they notice
// is the same on every machine.
//
// With -generated, the faults are drawn: gremlins finds where operators of the packages that
// changed since the commit in generated.toml can be exchanged, and the tests of those packages
// have to notice most of them.
//
//	go run ./lab/mutants                  # all of them: make test-mutants
//	go run ./lab/mutants -generated       # a sample, drawn anew for every commit
//	go run ./lab/mutants -only consensus  # those whose name or file matches
package main
