package report

import (
	"bytes"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"io"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"hinge/app/report/plot"
	"hinge/symbolic/evaluate"
	"hinge/symbolic/facts"
	"hinge/train/config"
	"hinge/train/learning"
	"hinge/train/record"
)

// File is the name of the page in a run folder.
const File = "report.html"

// Options holds the inputs of a page besides the files of the run.
type Options struct {
	// Defaults returns the configuration that the run's own is compared with, as
	// learning.Task.Defaults does; nil compares with nothing.
	Defaults func(choice config.Config) (config.Config, error)
	// Command is how a shell calls the program that made the run, in words, such as go,
	// run and ./cmd/train; nil where that is not known. Data is the folder that the
	// program was given with -data, if it was.
	Command []string
	Data    string
}

//go:embed page.html
var pageText string

//go:embed style.css
var styleText string

// pages are the templates of both pages.
var pages = template.Must(template.New("").Funcs(template.FuncMap{
	"percent": func(v float64) string { return strconv.FormatFloat(100*v, 'f', 2, 64) },
	"number":  func(v float64) string { return strconv.FormatFloat(v, 'g', 4, 64) },
	"seconds": func(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) },
	"bins":    func() int { return evaluate.Bins },
	"png": func(b []byte) template.URL {
		return template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(b)) //nolint:gosec // base64
	},
	"changed": func(version string) bool { return strings.HasSuffix(version, "+changes") },
	"style":   func() template.CSS { return template.CSS(styleText) }, //nolint:gosec // our own
}).Parse(pageText))

// Write makes the page of the run in folder dir and writes it to that folder.
func (o Options) Write(dir string) error {
	r, err := Load(dir)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := o.Page(&out, r); err != nil {
		return err
	}
	// Replace renames a complete file, so that nobody reads half a page.
	return facts.Replace(filepath.Join(dir, File), out.Bytes())
}

// figure is a diagram as the page shows it.
type figure struct {
	Title, Note string
	Legend      []entry
	SVG         template.HTML
}

type entry struct {
	Name   string
	Colour template.CSS
	Dashed bool
	Last   float64
}

func draw(p Panel) (figure, error) {
	svg, err := p.SVG()
	if err != nil {
		return figure{}, err
	}
	f := figure{Title: p.Title, Note: p.Note, SVG: template.HTML(svg)} //nolint:gosec // our own, escaped
	for i, s := range p.Series {
		e := entry{Name: s.Name, Colour: template.CSS(plot.Colour(i)), Dashed: plot.Dashed(i)} //nolint:gosec // our own
		if n := len(s.Y); n > 0 {
			e.Last = s.Y[n-1]
		}
		f.Legend = append(f.Legend, e)
	}
	return f, nil
}

// Page writes the page of a run.
func (o Options) Page(w io.Writer, r *Run) error {
	v := struct {
		*Run
		Name         string
		Accuracies   []accuracy
		Changed, All []Setting
		// Compared names what the settings were compared with, or explains why they were not.
		Compared     string
		Figures      []figure
		Still        []Still
		Confusions   []confusion
		Calibrations []calibration
		Thresholds   []threshold
		Commands     []command
		// Unnamed reports whether the commands do not know the program.
		Unnamed bool
	}{Run: r, Accuracies: r.accuracies()}
	full, err := filepath.Abs(r.Dir)
	if err != nil {
		full = r.Dir
	}
	v.Name = filepath.Base(full)
	var defaults, about map[string]string
	var foreign bool
	if defaults, about, v.Compared, foreign = o.defaults(r.Dir); defaults == nil {
		defaults = r.Settings // nothing differs
	}
	if foreign {
		o.Command = nil
	}
	v.Commands, v.Unnamed = o.commands(r), o.Command == nil
	v.All = Compare(r.Settings, defaults)
	for i := range v.All {
		s := &v.All[i]
		if s.About = about[s.Key]; s.Differs {
			v.Changed = append(v.Changed, *s)
		}
	}
	var panels []Panel
	panels, v.Still = r.Panels()
	for _, p := range panels {
		f, err := draw(p)
		if err != nil {
			return err
		}
		v.Figures = append(v.Figures, f)
	}
	if r.Shown != nil {
		for _, c := range r.Shown.Confusions {
			v.Confusions = append(v.Confusions, rates(c))
		}
		for _, c := range r.Shown.Curves {
			drawn, err := drawThreshold(c)
			if err != nil {
				return err
			}
			v.Thresholds = append(v.Thresholds, drawn)
		}
		for _, c := range r.Shown.Calibrations {
			drawn, err := drawCalibration(c)
			if err != nil {
				return err
			}
			v.Calibrations = append(v.Calibrations, drawn)
		}
	}
	return pages.ExecuteTemplate(w, "run", v)
}

// defaults returns the settings that a run has by default, given its task, loss, recipe,
// system and sizes; about describes each setting. foreign reports whether this program has no
// such task, and so did not make the run.
func (o Options) defaults(dir string) (flat, about map[string]string, note string, foreign bool) {
	about = declared(new(config.Config))
	if o.Defaults == nil {
		return nil, about, "The defaults of this task are not known here.", false
	}
	d, err := o.recipe(filepath.Join(dir, record.ConfigFile))
	if err != nil {
		text := err.Error()
		if u, ok := errors.AsType[*config.UsageError](err); ok {
			text, foreign = u.Problem, u.Key == "task"
		}
		return nil, about, "Not compared with the defaults of today: " + text + ".", foreign
	}
	about = declared(&d)
	text, err := d.Encode()
	if err == nil {
		flat, err = settings("the defaults", text)
	}
	if err != nil {
		return nil, about, err.Error(), false
	}
	return flat, about, "", false
}

// declared returns the descriptions of a configuration's settings by their keys.
func declared(c *config.Config) map[string]string {
	about := make(map[string]string)
	for _, s := range c.Settings() {
		about[s.Key] = config.About(&s)
	}
	return about
}

// recipe reads the settings file twice: first to find the type of the task's own section, then
// with that type.
func (o Options) recipe(path string) (config.Config, error) {
	var choice config.Config
	if err := choice.LoadFile(path); err != nil {
		return config.Config{}, err
	}
	choice.Options = nil
	d, err := o.Defaults(choice)
	if err != nil {
		return d, err
	}
	if choice.Options = d.Options; d.Options != nil {
		if err := choice.LoadFile(path); err != nil {
			return d, err
		}
		if d, err = o.Defaults(choice); err != nil {
			return d, err
		}
	}
	// These are no settings of a recipe, but which run of it this is.
	d.Split, d.Seed = choice.Split, choice.Seed
	return d, nil
}

// accuracy is one of the result.
type accuracy struct {
	What  string
	Value float64
	// Figure names what the value is if it is no accuracy (learning.Score).
	Figure   string
	Examples int
	// Error is the standard error of the share.
	Error float64
	// Parts is the accuracy of the network alone on the parts of examples, nil where unknown.
	Parts *float64
}

// accuracies returns the accuracies of the result, or the last validation's where the run
// has no result yet.
func (r *Run) accuracies() []accuracy {
	var out []accuracy
	figure := r.figure()
	add := func(what string, value float64, examples int, parts *float64) {
		if examples > 0 {
			a := accuracy{What: what, Value: value, Figure: figure, Examples: examples, Parts: parts}
			if figure == "" {
				a.Error = math.Sqrt(max(0, value*(1-value)) / float64(examples)) // 0 for a figure that is no share
			}
			out = append(out, a)
		}
	}
	res := r.Result
	if res == nil {
		if s := r.where("", learning.ValidPart, func(m *Metric) *float64 { return m.Accuracy }); len(s.Y) > 0 {
			out = append(out, accuracy{What: fmt.Sprintf("validation at step %.0f", s.X[len(s.X)-1]), Value: s.Y[len(s.Y)-1], Figure: figure})
		}
		return out
	}
	add("test", res.TestAccuracy, res.TestExamples, r.parts(learning.TestPart))
	add("test on further examples", res.MoreAccuracy, res.MoreExamples, r.parts(learning.MoreTestPart))
	add("test on fresh examples", res.FreshAccuracy, res.FreshExamples, r.parts(learning.FreshTestPart))
	add("validation on further examples", res.MoreValidAccuracy, res.MoreValidExamples, r.parts(learning.MoreValidPart))
	if res.Unjudged {
		return out
	}
	return append(out, accuracy{What: fmt.Sprintf("validation, of step %d", res.BestStep), Value: res.ValidAccuracy, Figure: figure, Parts: res.ValidParts})
}

// figure names what all accuracies of the run are where they are none.
func (r *Run) figure() string {
	for _, m := range slices.Backward(r.Metrics) {
		if m.Accuracy != nil {
			return m.Figure
		}
	}
	return ""
}

// Shown is the value as people read it: per cent of an accuracy, or a figure with its name.
func (a *accuracy) Shown() string {
	if a.Figure == "" {
		return fmt.Sprintf("%.2f", 100*a.Value)
	}
	return fmt.Sprintf("%s %.4f", a.Figure, a.Value)
}

// parts is the accuracy of the parts where a part of the data was last measured; earlier
// versions have it in their metrics alone.
func (r *Run) parts(part learning.Part) *float64 {
	for _, m := range slices.Backward(r.Metrics) {
		if m.Split == part {
			return m.Parts
		}
	}
	return nil
}

// confusion is a matrix with its rates.
type confusion struct {
	learning.Confusion
	Rows []confusionRow
	// Precision is the share of correct answers among the inputs read as a class.
	Precision []rate
	Right     rate
}

type confusionRow struct {
	Class  string
	Cells  []confusionCell
	Total  int
	Recall rate
}

type confusionCell struct {
	Count int
	// Share is that in the row, Right on the diagonal.
	Share float64
	Right bool
}

// rate is a share, if there was anything to take it of.
type rate struct {
	Of    int
	Share float64
}

func share(n, of int) rate { return rate{of, float64(n) / float64(max(of, 1))} }

func rates(c learning.Confusion) confusion {
	out := confusion{Confusion: c}
	columns, right, all := make([]int, len(c.Classes)), 0, 0
	for i, counts := range c.Counts {
		row := confusionRow{Class: c.Classes[i]}
		for _, n := range counts {
			row.Total += n
		}
		for j, n := range counts {
			columns[j] += n
			row.Cells = append(row.Cells, confusionCell{n, share(n, row.Total).Share, i == j})
		}
		row.Recall = share(counts[i], row.Total)
		right, all = right+counts[i], all+row.Total
		out.Rows = append(out.Rows, row)
	}
	for j, n := range columns {
		out.Precision = append(out.Precision, share(c.Counts[j][j], n))
	}
	out.Right = share(right, all)
	return out
}

// calibration is a calibration error with its diagram.
type calibration struct {
	evaluate.Calibration
	Figure figure
	Count  int
}

func drawCalibration(c evaluate.Calibration) (calibration, error) {
	s := plot.Series{Name: "share right"}
	out := calibration{Calibration: c}
	for _, b := range c.Bins {
		s.X, s.Y = append(s.X, b.Belief), append(s.Y, b.Right)
		out.Count += b.Count
	}
	var err error
	out.Figure, err = draw(Panel{Title: c.Name, Diagram: plot.Diagram{
		Title: "calibration: " + c.Name, X: "mean belief", Y: "share right", Series: []plot.Series{s}, Diagonal: true,
	}})
	out.Figure.Legend = nil
	return out, err
}

// threshold is a curve over thresholds with its diagram and a table of some of its points.
type threshold struct {
	learning.Curve
	Figure figure
	Rows   []evaluate.Point
}

// mostRows is the number of points in the table of a curve.
const mostRows = 11

func drawThreshold(c learning.Curve) (threshold, error) {
	series := []plot.Series{{Name: "precision"}, {Name: "recall"}, {Name: "F1"}}
	for _, p := range slices.Backward(c.Points) {
		for i, v := range []float64{p.Precision, p.Recall, p.F1} {
			series[i].X, series[i].Y = append(series[i].X, p.Threshold), append(series[i].Y, v)
		}
	}
	out := threshold{Curve: c, Rows: evaluate.Thin(c.Points, mostRows)}
	var err error
	out.Figure, err = draw(Panel{Title: c.Name, Diagram: plot.Diagram{
		Title: "precision, recall and F1 over thresholds: " + c.Name, X: "threshold", Series: series,
	}})
	for i, v := range []float64{c.At.Precision, c.At.Recall, c.At.F1} {
		if err == nil {
			out.Figure.Legend[i].Last = v
		}
	}
	return out, err
}

// command is a shell command with a description of its effect.
type command struct{ What, Line string }

var commit = regexp.MustCompile(`^[0-9a-f]{7,40}`)

// unnamed replaces the name of a program that is not known.
const unnamed = "PROGRAM"

// commands reproduce, resume and evaluate the run.
func (o Options) commands(r *Run) []command {
	program, dir, data := unnamed, quote(r.Dir), ""
	if o.Command != nil {
		program = quoted(o.Command)
	}
	if o.Data != "" {
		data = " -data " + quote(o.Data)
	}
	config := quote(filepath.Join(r.Dir, record.ConfigFile))
	again := command{"The same run once more, in a new folder", program + " -config " + config + data + " -out " + quote(r.Dir+"-again")}
	if r.Result != nil {
		// Of a program that is not built from it a commit changes nothing.
		if c := commit.FindString(r.Result.Version); c != "" && strings.HasPrefix(program, "go run ") {
			again.Line = "git checkout " + c + "\n" + again.Line
		}
	}
	out := []command{again}
	if r.Checkpoints && r.Result == nil {
		out = append(out, command{"Go on from the newest checkpoint", program + " -resume" + data + " -out " + dir})
	}
	if r.Checkpoints {
		out = append(out,
			command{"Evaluate the tested weights", program + " -eval" + data + " -out " + dir},
			command{"Make this page anew", program + " -report " + dir})
	}
	return out
}

var plain = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)

// quote writes a word for a shell.
func quote(s string) string {
	if plain.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// quoted writes words for a shell.
func quoted(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = quote(w)
	}
	return strings.Join(out, " ")
}
