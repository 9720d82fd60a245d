// Package cluster makes inference of one program on the ranks of a job a part of the command
// infer. What several ranks need beside it is in its folders: mpi joins a program to the MPI
// job that has started it, consensus solves a program whose rows are divided among ranks,
// deploy has scripts for schedulers. Nothing in the core imports them; training reaches
// other ranks through the interface collective.Comm.
//
//	os.Exit(infer.Main(os.Args[1:], cluster.Joint)) // package hinge/app/infer
package cluster
