// Package tables runs the experiments behind a table and prints it, with the
// paper's figures beside ours.
//
// A Table is a grid of cells; a Cell is an experiment that is repeated over
// splits of the data. Runner.Run makes the runs that are missing, one after the
// other, and appends a Record of each to a file of JSON lines, so a table that
// takes days can be interrupted, shared between machines (Runner.Shard; the
// files are joined by concatenation) and extended. A record is found again by
// its cell, its split and its settings: an experiment whose settings change is
// run anew, and its old records no longer count. It holds these settings in full, the
// program's commit and the conditions: threads, and how much of the machine others
// used meanwhile, as measured.
//
// A page has one table or several with records in one file. Report writes it as
// Markdown from the records alone: mean ± standard deviation over
// the splits (of the sample, with n − 1), the paper's figure, the
// commits and the command, and Comparisons of rows on the same splits. A figure
// of a run that was cut off is marked as a lower bound. Seconds are shown of runs
// that had the machine to themselves, by machine, and of no others. A cell with a run
// of a program that no commit holds is marked †; one with runs of commits that differ
// in the code of these runs ‡, with their list; a comparison whose sides differ so, §.
// Digests of that code lie beside the records (ListCodes), so a page needs no clone; what
// is not listed counts as another code. Nothing in a page is written by hand.
//
// # Errors and concurrency
//
// A run that fails is reported and does not stop the others; Run returns the
// first failure in the end. One Runner at a time may write a file of records.
package tables
