// Command release builds what people download who have no Go: one archive of the commands
// and one wheel for Python for each system, with checksums, licences and a bill of materials.
//
//	go run ./lab/release -out dist
//
// The same commit and the same Go give the same bits, whatever the folder, the user and
// the time: programs are linked statically, without cgo, paths or a build identifier of
// their own, for the plainest processor of each architecture; files in archives are sorted
// and have the time of the commit. A program that names the folder that it was built in is an error.
//
// A tree that differs from its commit is refused, as nobody could build the same from it,
// unless -dirty allows it. Exit codes: 0 done, 1 not.
package main
