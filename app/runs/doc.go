// Package runs is the command that compares run folders: it prints a table of them, the
// difference of two, and the agreement of several runs' networks, and makes a page that
// overlays their curves. It reads the same files as package report and writes only that page.
package runs
