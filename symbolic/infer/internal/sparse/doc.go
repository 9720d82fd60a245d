// Package sparse factors the symmetric systems of the solvers: small dense ones
// by Cholesky (Updated), sparse quasidefinite ones by L·D·Lᵀ with a fill-reducing order.
//
// A sparse matrix is given once by its pattern and then again and again by its
// values:
//
//	var s sparse.LDL
//	s.Reset(n)
//	slot := s.Edge(i, j)          // for each entry off the diagonal
//	if !s.Analyse(limits) {…}     // order, size and layout of L
//	clear(s.Val)
//	s.Val[slot] += v              // and Diag, Sign
//	s.Factor()
//	s.Solve(x)                    // x ← K⁻¹x
//
// Analyse takes time near that of walking L's pattern a few times and memory of the order of
// the matrix. It knows the size of L before it allocates L and refuses an L that is too large.
// Factor and Solve allocate nothing, or little if they use goroutines.
//
// Rows are ordered by minimum degree. A large matrix whose factor takes much work is also
// ordered by nested dissection, and the order with less work is taken: on images of 10⁶ rows
// that halves the work. Large factors are computed by LDL.Workers goroutines, with the same
// bits for any number of them: first the branches of the elimination tree in parallel, then
// blocks of the wide supernodes above them.
//
// Columns of L with nearly the same pattern are worked on together, as dense blocks
// (supernodes), and what they contribute to later columns is added up from child to parent in the
// elimination tree (the multifrontal method). On amd64 with AVX2 or AVX-512, and on arm64, assembly
// multiplies panels of 8 columns with fused multiply-adds. So the last bits of a factor depend on
// the kind of processor.
//
// Approximate replaces Analyse if the factor would be too large: Solve then approximates the
// solution by conjugate gradients, in memory of the order of the matrix.
//
// Nothing fails for numerical reasons: pivots that are too small are replaced,
// see LDL.Pivot. Values are not safe for concurrent use; the same
// input gives the same bits.
package sparse
