//go:build !linux

package kernel

func advise[T any]([]T) {}
