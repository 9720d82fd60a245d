// Package report makes the HTML pages about runs: one page of a run in its folder, and one
// that overlays several runs.
//
// The pages load nothing, neither scripts nor fonts nor pictures, so each can be sent as one
// file. They are made from the files of a run folder alone (config.toml, metrics.jsonl,
// result.json, shown.json), so they can be made at any time after the run:
//
//	err := report.Options{Defaults: task.Defaults}.Write(dir)
//
// and train.Options.Report takes that method to have the page made by the run itself. The page
// leaves out what the run does not have: a curve, a test, a table of rules. Curves of many
// steps are means of groups of steps; the page notes this.
//
// A folder without config.toml is a config.UsageError; a file that cannot be read is a
// learning.DataError, with the line if the file has lines. Pages are replaced by renaming, so
// they may be read while a run goes on.
package report
