//go:build !(linux && (amd64 || arm64))

package mpi

import (
	"runtime"

	"hinge/dist"
)

func init() {
	dist.Register(func(string, dist.Launch) (dist.Comm, error) {
		return nil, dist.Failed("MPI is for linux on amd64 and arm64, not for %s/%s", runtime.GOOS, runtime.GOARCH)
	})
}
