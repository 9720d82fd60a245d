package command

import (
	"context"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"hinge/app/cli"
	"hinge/lab/addition"
	"hinge/lab/bench"
	"hinge/lab/citation"
	"hinge/lab/inference"
	"hinge/lab/losses"
	"hinge/lab/relational"
	"hinge/lab/source"
	"hinge/lab/tables"
	"hinge/lab/trained"
	"hinge/train/learning"
	"hinge/train/machine"
)

// builders are the tables of a page by its name; a name that is a number is the
// paper's.
var builders = map[string][]tables.Builder{
	"2": {inference.Table2}, "table2-epsilon": {inference.Epsilon},
	"3": {relational.Table3, addition.LearningTimes}, "4": {relational.Table4}, "search": {relational.Search}, "ties": {relational.Ties, relational.TiesChoice},
	"5": {citation.Table5, citation.Judged, citation.Words}, "table5-selection": {citation.Selection, citation.Search},
	"6": {addition.Table6, addition.Fresh, addition.Level}, "table6-ablation": {addition.Ablation}, "table6-selection": {addition.Selection, addition.Search},
	"table6-rules": {addition.NoisyRules}, "addn": {addition.Full, addition.Long},
	"losses": {losses.Table}, "sudoku": {trained.Sudoku}, "paths": {trained.Paths}, "shortcuts": {trained.Shortcuts},
}

// Page returns the tables of a page by its file's name without extension, such as table6.
func Page(name string) ([]*tables.Table, error) {
	if n, ok := strings.CutPrefix(name, "table"); ok && builders[n] != nil {
		name = n
	}
	if builders[name] == nil {
		return nil, fmt.Errorf("there is no page %s", name)
	}
	return build(builders[name], tables.Options{})
}

// build makes the tables of a page; one that the options leave nothing of is left out.
func build(list []tables.Builder, o tables.Options) ([]*tables.Table, error) {
	var page []*tables.Table
	for _, builder := range list {
		t, err := builder(o)
		if err != nil {
			return nil, err
		}
		if len(t.Cells) > 0 {
			page = append(page, t)
		}
	}
	return page, nil
}

// tableOptions are the flags of the command's table form.
type tableOptions struct {
	name             string
	build            tables.Options
	rows, columns    []string
	splits           []int
	dirty, printOnly bool
	runner           tables.Runner
	out              string
	text, recordFile string
}

// isTable tells the two forms of the command apart.
func isTable(args []string) bool {
	return slices.ContainsFunc(args, func(a string) bool {
		a = "-" + strings.TrimLeft(a, "-")
		return a == "-table" || strings.HasPrefix(a, "-table=")
	})
}

// parseTable reads the command line of the table form.
func parseTable(args []string, usageTo io.Writer) (*tableOptions, error) {
	o := new(tableOptions)
	var systems, sizes, splits, shard string
	names := slices.Sorted(maps.Keys(builders))
	f := flag.NewFlagSet("bench -table NAME", flag.ContinueOnError)
	f.StringVar(&o.name, "table", "", "page of tables to make: "+strings.Join(names, ", "))
	f.StringVar(&systems, "systems", "", "rows to run, parts of their names with commas (default all); a comma before a blank belongs to the name")
	f.StringVar(&sizes, "sizes", "", "columns to run (training sizes, data sets), parts of their names as in -systems (default all)")
	f.StringVar(&splits, "splits", "", "data splits to run, with commas (default the table's)")
	f.StringVar(&shard, "shard", "", "`i/n`: run the i-th of n shares, i from 0; auto or auto/n: as a task of a Slurm array or a Kubernetes Indexed Job")
	f.StringVar(&o.build.Recipe, "recipe", "", "recipe to run: paper or best (default both)")
	f.StringVar(&o.build.Data, "data", os.Getenv("HINGE_DATA"), "data root `folder` (also HINGE_DATA)")
	f.StringVar(&o.build.Dir, "runs", filepath.Join("checkpoints", "tables"), "`folder` for run folders and caches")
	f.BoolVar(&o.build.Quick, "quick", false, "the small form, under ten minutes on two cores")
	f.BoolVar(&o.dirty, "dirty", false, "record runs although no commit holds this program; the page marks them")
	f.BoolVar(&o.printOnly, "print", false, "make the page from the records there are, run nothing")
	f.StringVar(&o.out, "out", "lab/benchmarks", "`folder` for tableN.md and its records, tableN.jsonl")
	if _, err := cli.Parse(f, args, "bench -table NAME [flags]", usageTo); err != nil {
		return nil, err
	}
	if builders[o.name] == nil {
		return nil, cli.Usage("-table: %q is none of %s", o.name, strings.Join(names, ", "))
	}
	if r := o.build.Recipe; r != "" && r != "paper" && r != "best" {
		return nil, cli.Usage("-recipe: %q is none of paper, best", r)
	}
	if shard != "" {
		var err error
		if o.runner.Shard, o.runner.Shards, err = tables.ParseShard(shard, os.Getenv); err != nil {
			return nil, cli.Usage("-shard: %v", err)
		}
	}
	o.rows, o.columns = nameList(systems), nameList(sizes)
	for _, s := range list(splits) {
		n, err := strconv.Atoi(s)
		if err != nil || n < 0 {
			return nil, cli.Usage("-splits: %q is not a split number", s)
		}
		o.splits = append(o.splits, n)
	}
	o.text, o.recordFile = o.path(".md"), o.path(".jsonl")
	return o, nil
}

// path is that of a file of the table's.
func (o *tableOptions) path(extension string) string {
	base := "table" + o.name
	if _, err := strconv.Atoi(o.name); err != nil {
		base = o.name
	}
	if o.build.Quick {
		base += "-quick"
	}
	return filepath.Join(o.out, base+extension)
}

// nameList splits at commas that no blank follows: names such as "NeuPSL, Energy" have
// commas of their own.
func nameList(s string) []string {
	const inside = "\x00"
	parts := list(strings.ReplaceAll(s, ", ", inside))
	for i, p := range parts {
		parts[i] = strings.ReplaceAll(p, inside, ",")
	}
	return parts
}

// runTable makes the missing runs and writes the table, also of a part.
func runTable(args []string) int {
	o, err := parseTable(args, os.Stderr)
	if err != nil {
		return report(err)
	}
	ctx, code := cli.Signals(interrupted)
	return ended(o.run(ctx), code)
}

func (o *tableOptions) run(ctx context.Context) error {
	if err := os.MkdirAll(o.out, 0o777); err != nil {
		return cli.Usage("-out: %v", err)
	}
	tree := source.Tree(ctx, o.out)
	o.build.Version = tree.String()
	o.build.Note = func(line string) { fmt.Fprintln(os.Stderr, "  "+line) }
	whole, err := build(builders[o.name], o.build)
	if err != nil {
		return err
	}
	parts, err := tables.Select(whole, o.rows, o.columns, o.splits)
	if err != nil {
		return cli.Usage("%v", err)
	}
	o.runner.Records, o.runner.Progress = o.recordFile, tableProgress
	o.runner.Version, o.runner.Machine, o.runner.Watch = tree.String(), machine.This().String(), watch
	if o.printOnly {
		return o.write(ctx, whole)
	}
	for _, part := range parts {
		missing, err := o.runner.Missing(part)
		if err != nil {
			return &learning.DataError{Err: err}
		}
		if err := source.Committed(tree); err != nil && missing > 0 && !o.dirty {
			return cli.Usage("%v, or record with -dirty what nobody can repeat (-print runs nothing)", err)
		}
	}
	for _, part := range parts {
		if e := o.runner.Run(ctx, part); err == nil {
			err = e
		}
	}
	// What was run before an interruption or a failure is worth a table.
	if e := o.write(ctx, whole); err == nil {
		err = e
	}
	return err
}

// watch measures the conditions of a run.
func watch() func() tables.Conditions {
	load := bench.StartLoad()
	return func() tables.Conditions {
		c := tables.Conditions{Threads: runtime.GOMAXPROCS(0), Processors: runtime.NumCPU()}
		if share, ok := load.Others(); ok {
			c.Others = &share
		}
		return c
	}
}

// command is how to make the page again.
func (o *tableOptions) command() string {
	args := []string{"-table", o.name}
	if o.build.Recipe != "" {
		args = append(args, "-recipe", o.build.Recipe)
	}
	if o.build.Quick {
		args = append(args, "-quick")
	}
	return commandLine(args)
}

// write makes the page of the tables from the records and prints it.
func (o *tableOptions) write(ctx context.Context, page []*tables.Table) error {
	// Without a clone and the go command, code that is not known counts as another.
	if err := tables.ListCodes(page, o.recordFile, func(commit, pkg string) (string, error) {
		return source.Digest(ctx, o.out, commit, pkg)
	}); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
	}
	var text strings.Builder
	if err := tables.Report(&text, page, o.recordFile, o.command()); err != nil {
		return &learning.DataError{Err: err}
	}
	if err := os.WriteFile(o.text, []byte(text.String()), 0o666); err != nil {
		return cli.Usage("-out: %v", err)
	}
	fmt.Print(text.String())
	return nil
}

// tableProgress prints a line a run.
func tableProgress(done, of int, r tables.Record, found bool, err error) {
	text := fmt.Sprintf("%.2f (%.3g s)", r.Value, r.WallS)
	switch {
	case err != nil:
		text = "failed: " + err.Error()
	case found:
		text += ", from the records"
	}
	fmt.Fprintf(os.Stderr, "%d/%d %s, %s, split %d: %s\n", done, of, r.Row, r.Column, r.Split, text)
}
