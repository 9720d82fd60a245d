//go:build mpi

package main

import _ "hinge/cluster/mpi" // opened where mpirun has started the program
