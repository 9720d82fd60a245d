// Package report makes what people look at after a run: one page of HTML in its folder,
// and one that lays several runs over each other.
//
// The pages load nothing, neither script nor font nor picture, and can be sent as they
// are. They are made from the files of a run folder alone (config.toml, metrics.jsonl,
// result.json, shown.json), so a run of long ago has one too:
//
//	err := report.Options{Defaults: task.Defaults}.Write(dir)
//
// and train.Options.Report takes that method to have the page made by the run itself. What
// a run has not, the page has not: a curve, a test, a table of rules. Curves of many
// steps are means of groups of steps, which the page says.
//
// A folder without config.toml is a train.UsageError; a file that cannot be read is a
// train.DataError, with the line where there are lines. Concurrency: pages are replaced
// by renaming, so anyone may read while a run goes on.
package report
