// Package cli is what the commands share: reading flags and heeding signals, in
// one way for all. Exit codes are package exit's.
package cli
