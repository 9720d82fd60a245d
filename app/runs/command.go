package runs

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"hinge/app/cli"
	"hinge/app/report"
	"hinge/symbolic/psl"
	"hinge/train/exit"
	"hinge/train/record"
)

// options are the command line.
type options struct {
	dirs    []string
	where   []condition
	sort    string
	reverse bool
	json    bool
	diff    bool
	agree   bool
	model   string
	html    string
}

// condition is a setting or column with the value that is wanted.
type condition struct{ key, value string }

// Main runs the command and returns its exit code. A run folder that cannot be read is
// reported on stderr, and the other runs are listed all the same.
func Main(args []string, stdout, stderr io.Writer) int {
	o, err := parse(args, stderr)
	code := exit.OK
	if err == nil {
		code, err = o.run(stdout, stderr)
	}
	return cli.Exit("runs", stderr, code, err)
}

func parse(args []string, usageTo io.Writer) (*options, error) {
	o := new(options)
	f := flag.NewFlagSet("runs", flag.ContinueOnError)
	f.Func("where", "only runs with `KEY=VALUE`, a column or a setting such as training.batch=16; repeat it for more", func(text string) error {
		key, value, ok := strings.Cut(text, "=")
		if !ok {
			return errors.New("want KEY=VALUE")
		}
		o.where = append(o.where, condition{strings.TrimSpace(key), strings.TrimSpace(value)})
		return nil
	})
	f.StringVar(&o.sort, "sort", "dir", "`column` to sort by: "+strings.Join(names(), ", "))
	f.BoolVar(&o.reverse, "reverse", false, "sort from large to small")
	f.BoolVar(&o.json, "json", false, "print one JSON object a line")
	f.BoolVar(&o.diff, "diff", false, "compare the two runs that are named: settings and figures")
	f.BoolVar(&o.agree, "agree", false, "say how often the networks of the runs that are named, all of one model file, say the same, and how good the mean of their values is")
	f.StringVar(&o.model, "model", "", "with -agree, the model `file` to infer; left out, that of the first run")
	f.StringVar(&o.html, "html", "", "write a page that lays the curves of the runs over each other to `file`")
	if _, err := cli.ParseFlags(f, args, "runs [flags] [DIR…] (default: the folder checkpoints)", usageTo); err != nil {
		return nil, err
	}
	o.dirs = f.Args()
	for _, dir := range o.dirs {
		if strings.HasPrefix(dir, "-") {
			return nil, cli.Usage("%s stands behind a folder; flags go before the folders", dir)
		}
	}
	if o.diff && len(o.dirs) != 2 {
		return nil, cli.Usage("-diff compares two run folders; named are %d", len(o.dirs))
	}
	if o.agree && len(o.dirs) < 2 {
		return nil, cli.Usage("-agree compares two run folders or more; named are %d", len(o.dirs))
	}
	if (o.diff || o.agree) && (o.diff && o.agree || o.json || o.html != "" || len(o.where) > 0) {
		return nil, cli.Usage("-diff and -agree compare the runs that are named; leave the other flags out")
	}
	if o.json && o.html != "" {
		return nil, cli.Usage("-json and -html are two forms; leave one of them out")
	}
	if o.model != "" && !o.agree {
		return nil, cli.Usage("-model says what the runs of -agree infer; add -agree")
	}
	if !slices.Contains(names(), o.sort) {
		return nil, cli.NoneOf("sort", o.sort, names())
	}
	if len(o.dirs) == 0 {
		o.dirs = []string{"checkpoints"}
	}
	return o, nil
}

func (o *options) run(stdout, stderr io.Writer) (int, error) {
	if o.diff {
		return exit.OK, diff(stdout, o.dirs[0], o.dirs[1])
	}
	if o.agree {
		return exit.OK, agree(stdout, o.model, o.dirs)
	}
	code := exit.OK
	found, err := find(o.dirs, func(err error) {
		fmt.Fprintf(stderr, "runs: %v\n", err)
		code = exit.Data
	})
	if err != nil {
		return 0, err
	}
	var runs []*report.Run
	for _, dir := range found {
		r, err := report.Load(dir)
		if err != nil {
			fmt.Fprintf(stderr, "runs: %v\n", err)
			code = exit.Data
			continue
		}
		runs = append(runs, r)
	}
	if err := o.checkWhere(runs); err != nil {
		return 0, err
	}
	runs = slices.DeleteFunc(runs, func(r *report.Run) bool { return !o.wants(r) })
	o.order(runs)
	switch {
	case o.html != "":
		return code, overlay(stdout, o.html, runs)
	case o.json:
		e := json.NewEncoder(stdout)
		e.SetEscapeHTML(false)
		for _, r := range runs {
			if err := e.Encode(r.Row()); err != nil {
				return 0, err
			}
		}
		return code, nil
	}
	return code, table(stdout, runs)
}

// find returns the run folders in and below folders, and the links to other run folders. It calls tell with the error of a
// folder below them that cannot be read.
func find(dirs []string, tell func(error)) ([]string, error) {
	var out, links []string
	for _, root := range dirs {
		before := len(out) + len(links)
		from := root
		if info, err := os.Lstat(root); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			from += string(filepath.Separator) // else a walk does not go into a link
		}
		err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
			if err != nil && path != from {
				tell(err)
				return nil
			}
			link := err == nil && d.Type()&fs.ModeSymlink != 0
			if err != nil || !d.IsDir() && !link {
				return err
			}
			if _, err := os.Stat(filepath.Join(path, record.ConfigFile)); err != nil {
				return nil
			}
			if link {
				links = append(links, path)
				return nil
			}
			out = append(out, filepath.Clean(path))
			return fs.SkipDir
		})
		if err != nil {
			return nil, cli.Usage("%v", err)
		}
		if len(out)+len(links) == before {
			return nil, cli.Usage("there is no run of cmd/train in or below %s; the folders of cmd/rules, whose figures are in result.json, are not listed", root)
		}
	}
	for _, path := range links {
		info, err := os.Stat(path)
		if err == nil && !slices.ContainsFunc(out, func(dir string) bool { other, err := os.Stat(dir); return err == nil && os.SameFile(info, other) }) {
			out = append(out, path)
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// column is a column of the table of runs.
type column struct {
	name string
	text func(*report.Row) string
	// number orders it, where text does not.
	number func(*report.Row) float64
}

var columns = []column{
	{"dir", func(r *report.Row) string { return r.Dir }, nil},
	{"task", func(r *report.Row) string { return r.Task }, nil},
	{"system", func(r *report.Row) string { return r.System }, nil},
	{"loss", func(r *report.Row) string { return r.Loss }, nil},
	{"recipe", func(r *report.Row) string { return r.Recipe }, nil},
	{"split", func(r *report.Row) string { return r.Split }, func(r *report.Row) float64 { n, _ := strconv.Atoi(r.Split); return float64(n) }},
	{"accuracy", func(r *report.Row) string {
		if r.Accuracy == nil {
			return "–"
		}
		return r.Shown + " " + r.On
	}, func(r *report.Row) float64 {
		if r.Accuracy == nil {
			return -1
		}
		return *r.Accuracy
	}},
	{"steps", func(r *report.Row) string { return fmt.Sprint(r.Steps) }, func(r *report.Row) float64 { return float64(r.Steps) }},
	{"seconds", func(r *report.Row) string { return fmt.Sprintf("%.1f", r.Seconds) }, func(r *report.Row) float64 { return r.Seconds }},
	{"commit", func(r *report.Row) string { return short(r.Commit) }, nil},
	{"state", func(r *report.Row) string { return r.State }, nil},
}

func names() []string {
	var out []string
	for _, c := range columns {
		out = append(out, c.name)
	}
	return out
}

// short keeps twelve digits of a commit, and that there were changes.
func short(version string) string {
	v, changes, found := strings.Cut(version, "+")
	if v = v[:min(len(v), 12)]; found {
		return v + "+" + changes
	}
	return v
}

// checkWhere finds a condition on what is no column and no setting of any of the runs.
func (o *options) checkWhere(runs []*report.Run) error {
	for _, w := range o.where {
		known := slices.Contains(names(), w.key) || slices.ContainsFunc(runs, func(r *report.Run) bool { _, ok := r.Settings[w.key]; return ok })
		if !known && w.value != "" && len(runs) > 0 {
			return cli.Usage("-where: %q is no column (%s) and no setting of these runs", w.key, strings.Join(names(), ", "))
		}
	}
	return nil
}

// wants reports whether a run meets all conditions.
func (o *options) wants(r *report.Run) bool {
	row := r.Row()
	for _, w := range o.where {
		have := r.Settings[w.key]
		if i := slices.Index(names(), w.key); i >= 0 {
			have = columns[i].text(&row)
		}
		if have != w.value {
			return false
		}
	}
	return true
}

// order sorts runs by a column; equal runs stay in the order of their folders.
func (o *options) order(runs []*report.Run) {
	c := columns[slices.Index(names(), o.sort)]
	slices.SortStableFunc(runs, func(a, b *report.Run) int {
		x, y := a.Row(), b.Row()
		d := cmp.Compare(c.text(&x), c.text(&y))
		if c.number != nil {
			d = cmp.Compare(c.number(&x), c.number(&y))
		}
		if o.reverse {
			return -d
		}
		return d
	})
}

func table(w io.Writer, runs []*report.Run) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, strings.Join(names(), "\t"))
	for _, r := range runs {
		row := r.Row()
		var cells []string
		for _, c := range columns {
			cells = append(cells, c.text(&row))
		}
		fmt.Fprintln(t, strings.Join(cells, "\t"))
	}
	return t.Flush()
}

// diff prints what two runs differ in: settings first, then figures.
func diff(w io.Writer, a, b string) error {
	x, err := report.Load(a)
	if err != nil {
		return err
	}
	y, err := report.Load(b)
	if err != nil {
		return err
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "\t%s\t%s\n", a, b)
	for _, s := range report.Compare(x.Settings, y.Settings) {
		if s.Differs {
			fmt.Fprintf(t, "%s\t%s\t%s\n", s.Key, s.Value, s.Default)
		}
	}
	first, second := x.Row(), y.Row()
	for _, c := range columns[slices.Index(names(), "accuracy"):] {
		if p, q := c.text(&first), c.text(&second); p != q {
			fmt.Fprintf(t, "%s\t%s\t%s\n", c.name, p, q)
		}
	}
	return t.Flush()
}

// overlay writes the page of several runs and prints its path.
func overlay(w io.Writer, path string, runs []*report.Run) error {
	var page bytes.Buffer
	if err := report.Overlay(&page, runs); err != nil {
		return err
	}
	if err := os.WriteFile(path, page.Bytes(), 0o644); err != nil {
		return cli.Usage("-html: %v", err)
	}
	_, err := fmt.Fprintf(w, "%s: %s\n", path, psl.Count(len(runs), "run"))
	return err
}
