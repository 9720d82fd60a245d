// Package mpi makes the ranks of an MPI job a collective.Comm. A program has it by an import
//
//	import _ "hinge/cluster/mpi"
//
// and collective.World then joins the job that mpirun, mpiexec or srun has started. The
// commands of this module have that import behind the build tag mpi:
//
//	go build -tags mpi ./cmd/train
//	mpirun -n 4 ./train -task mnist-add2 …
//
// The library is opened while the program starts, by its file name. No C compiler and no
// header is needed to build, and one program runs with Open MPI and with MPICH and what
// has MPICH's binary interface (Intel MPI, MVAPICH, Cray MPICH; only Debian's Open MPI
// and MPICH are tested). The two interfaces differ in what handles are: addresses of
// symbols there, numbers here. The one that the library has is found by its symbols, and
// by the name it gives itself.
//
// Of MPI only what moves bytes is used: Barrier, Bcast, Allgatherv and Alltoallv. Sums
// are package collective's, whose order does not depend on the library.
//
// A program with this package is linked to the C library of the system (by package
// purego), where those without are static. That is why it takes a tag.
//
// Errors of the start are a *collective.StartError: there is no library, or it is older than
// MPI 3, has an unknown interface, or is not the launcher's. When a rank dies, the
// launcher ends the others.
//
// All calls into the library are made on one system thread, as MPI_THREAD_FUNNELED wants
// it, whatever goroutine uses the Comm; one at a time may.
package mpi
