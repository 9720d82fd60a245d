package machine

import (
	"context"
	"fmt"
	"runtime"
)

// Release is the version of this program by semantic versioning: before 1.0.0 a minor version
// may change flags, settings and the API, a patch may not. CHANGELOG.md lists the releases and
// which versions read the files that each writes.
const Release = "0.1.0"

// Describe returns the answer of a program to -version: its name and release, the commit, the
// toolchain, the system, and more, which the caller adds.
func Describe(name, more string) string {
	return fmt.Sprintf("%s %s, commit %s, %s, %s/%s, %s", name, Release, Version(context.Background()),
		runtime.Version(), runtime.GOOS, runtime.GOARCH, more)
}
