// Package cli is what the commands share: reading flags, heeding signals, errors with exit codes
// (package exit has their meanings), and printing, in one way for all.
package cli
