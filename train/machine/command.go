package machine

import (
	"os"
	"runtime/debug"
)

// Command is how a shell in the same folder starts this program again, in words: go run
// and its package, where the go command made it for this one start, otherwise the path
// that it was started by. It is nil for a program that was given to go run as files, whose
// names it does not know.
func Command() []string {
	if !justMade() {
		return os.Args[:1]
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Path != "command-line-arguments" {
		return []string{"go", "run", info.Path}
	}
	return nil
}
