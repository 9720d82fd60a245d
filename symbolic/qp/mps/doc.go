// Package mps reads linear and quadratic programs in the MPS format and its extension QPS.
//
//	p, err := mps.Read(in, "stairs.qps")
//	r, err := qp.Solve(&p.Problem, qp.Settings{})
//
// Fields are separated by spaces or tabs, as in free MPS; files of the fixed format are read
// where no name has a space in it. Lines that begin with * are comments. What is known:
//
//	NAME      OBJSENSE (MAX, MIN; the next line or the same)
//	ROWS      N (the first is the objective, others are left out), L, G, E
//	COLUMNS   RHS (of the objective: its constant, negated)      RANGES
//	BOUNDS    UP LO FX FR MI PL; UP below 0 without LO leaves the lower side infinite
//	QUADOBJ   or QSECTION: ½·xᵀ·H·x by one triangle of H         QMATRIX: by all of H
//	ENDATA
//
// Variables are ≥ 0 unless bounded otherwise. Sides and bounds of 1e20 and more are infinite.
// Integer variables, quadratic rows and other sections are errors. An *Error names file, line
// and column; nothing is read in part.
package mps
