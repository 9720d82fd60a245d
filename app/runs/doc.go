// Package runs is the command that looks at many run folders: a table of them, the
// difference of two, how often the networks of several say the same, and a page that lays their curves over each other. It reads what
// package report reads and writes nothing but that page.
package runs
