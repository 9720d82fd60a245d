//go:build race

package infer

// The race detector makes pools forget, and so solves allocate.
const raceDetector = true
