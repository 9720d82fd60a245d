//go:build !(linux && (amd64 || arm64))

package mpi

import (
	"runtime"

	"hinge/optim/collective"
)

func init() {
	collective.Register(func(string, collective.Launch) (collective.Comm, error) {
		return nil, collective.Failed("MPI is for linux on amd64 and arm64, not for %s/%s", runtime.GOOS, runtime.GOARCH)
	})
}
