// Package cli is what the commands share: reading flags, heeding signals, errors with exit codes
// (package exit has their meanings), printing, and files that are complete or not there, in one way
// for all.
package cli
