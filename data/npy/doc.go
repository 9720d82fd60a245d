// Package npy reads arrays of numbers in numpy's file format, versions 1 to 3.
//
//	f, err := os.Open("costs.npy")
//	a, err := npy.Read(bufio.NewReader(f))
//	a.Shape   // say 10000, 12, 12
//
// Arrays are in C order, of integers of one to eight bytes (eight signed), bools, or floats of two to eight. Arrays of
// objects, integers that single precision does not hold, arrays in Fortran order and files with further bytes are
// errors, which do not name the file. Memory grows with the size of the file, not with the sizes that its header claims.
package npy
