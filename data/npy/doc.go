// Package npy reads arrays of numbers in numpy's file format, versions 1 to 3.
//
//	f, err := os.Open("costs.npy")
//	a, err := npy.Read(bufio.NewReader(f))
//	a.Shape   // say 10000, 12, 12
//
// Arrays are in C order, of integers of one to eight bytes (eight signed), bools, or
// floats of two, four or eight bytes, little or big endian. To Read, unsigned bytes stay bytes;
// everything else becomes float32 and must be finite, and no axis may have length zero.
// ReadFloat64 makes float64 of all types and takes all numbers. Arrays of objects, in Fortran
// order, or with other bytes behind them are errors, which do not name the file. Memory grows
// with what there is, not with what the header says.
package npy
