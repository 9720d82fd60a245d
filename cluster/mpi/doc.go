// Package mpi makes the ranks of an MPI job a collective.Comm. A program gets it by the import
//
//	import _ "hinge/cluster/mpi"
//
// and collective.World then joins the job that mpirun, mpiexec or srun has started. The
// commands of this module have that import behind the build tag mpi:
//
//	go build -tags mpi ./cmd/train
//	mpirun -n 4 ./train -task mnist-add2 …
//
// The library is opened by its file name while the program starts. The build needs no C
// compiler and no header, and one program runs with Open MPI, MPICH and libraries that have
// MPICH's binary interface (Intel MPI, MVAPICH, Cray MPICH; only Debian's Open MPI and MPICH
// are tested). In Open MPI handles are addresses of symbols, in MPICH they are numbers. The
// package tells the two interfaces apart by the library's symbols and by the version text that
// it returns.
//
// The package uses only Barrier, Bcast, Allgatherv and Alltoallv of MPI. Package collective
// computes sums itself, so that their order does not depend on the library.
//
// A program with this package is linked to the system's C library (by package purego); without
// it programs are static. Therefore the import has a build tag.
//
// Errors at the start are a *collective.StartError: there is no library, or it is older than
// MPI 3, has an unknown interface, or does not belong to the launcher. When a rank dies, the
// launcher ends the others.
//
// All calls into the library are made on one system thread, as MPI_THREAD_FUNNELED requires,
// whichever goroutine uses the Comm. One goroutine may use it at a time.
package mpi
