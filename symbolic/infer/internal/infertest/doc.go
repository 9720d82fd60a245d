// Package infertest has programs, generated models and naive computations that the
// tests of the solvers share: programs made by hand (Build), models of any size
// (Grid, Additions, Family), random ones with a known optimum (Known), and what
// results are compared with (Near, Gauss).
//
// Nothing here is used outside tests. Errors fail the test. All is deterministic.
package infertest
