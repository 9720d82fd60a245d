//go:build mpi

package main

import _ "hinge/dist/mpi" // opened where mpirun has started the program
