package machine

import (
	"os"
	"runtime/debug"
)

// Command returns the words that start this program again in a shell in the same folder: go
// run and the package, where the go command has built the program for this one start,
// otherwise the path that it was started by. It returns nil where go run was given files,
// whose names the program does not know.
func Command() []string {
	if !justMade() {
		return os.Args[:1]
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Path != "command-line-arguments" {
		return []string{"go", "run", info.Path}
	}
	return nil
}
