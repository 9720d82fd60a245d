package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"hinge/optim"
	"hinge/symbolic/evaluate"
	"hinge/train/config"
	"hinge/train/learning"
	"hinge/train/mapstate"
	"hinge/train/record"
)

const metrics = `{"step":1,"epoch":0,"split":"train","loss":1.25,"learning_rate":0.001,"temperature":1,"grad_norm":3.5,"solver_s":0.125,"neural_s":0.5}
{"step":2,"epoch":0,"split":"train","loss":0.75,"learning_rate":0.001,"temperature":1,"grad_norm":2.5,"solver_s":0.25,"neural_s":0.5}
{"step":2,"epoch":0,"split":"valid","accuracy":0.625,"digit_accuracy":0.8125,"solver_s":0,"neural_s":0,"rules":[{"rule":"1: A(X) -> B(X)","weight":0.375,"satisfaction":0.875,"gradient":0.5}]}
`

const tested = `{"step":2,"epoch":0,"split":"test","accuracy":0.6875,"parts_accuracy":0.84375,"output_entropy":0.03125,"solver_s":0,"neural_s":0}
`

// folder makes a run folder of the toy's defaults with one change.
func folder(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "a run & more")
	require.NoError(t, os.Mkdir(dir, 0o755))
	c := config.Defaults(config.Config{Task: "toy"})
	c.Training.Batch, c.Split, c.Symbolic.FreezeRules = 47, 3, false
	text, err := c.Encode()
	require.NoError(t, err)
	all := map[string]string{record.ConfigFile: string(text)}
	maps.Copy(all, files)
	for name, text := range all {
		if text == "" {
			continue
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	return dir
}

// finished are the files of a run that has ended, with a hostile rule.
func finished(t testing.TB) map[string]string {
	t.Helper()
	marshal := func(v any) string {
		b, err := json.Marshal(v)
		require.NoError(t, err)
		return string(b)
	}
	return map[string]string{
		record.MetricsFile: metrics + tested,
		record.ResultFile: marshal(record.Result{
			Task: "toy", TestAccuracy: .6875, TestExamples: 64, ValidAccuracy: .625, BestStep: 2, Steps: 2, WallS: 1.5,
			Rules:   []learning.Rule{{Text: "1: A(X) -> <script>alert(1)</script>", Weight: .375, Satisfaction: .875}},
			Version: "0123456789abcdef0123456789abcdef01234567+changes", ConfigHash: "cafe", Machine: "a box, 2 cores",
			ValidParts: new(.40625), Certificates: &record.Certificates{Tolerance: 1e-6, WorstGap: 3e-7, MeanGap: 2e-9, WorstViolation: 4e-10, Checked: true},
		}),
		record.ShownFile: marshal(learning.Shown{
			Confusions:   []learning.Confusion{learning.NewConfusion("the network alone", [][]int{{3, 1}, {0, 4}})},
			Calibrations: []evaluate.Calibration{evaluate.Calibrate("the network alone", []float64{.75, .25}, []bool{true, false})},
			Curves: []learning.Curve{{Name: "Same", At: evaluate.Point{Threshold: .40625, Precision: .8125, Recall: .71875, F1: .7627},
				Points: []evaluate.Point{{Threshold: .75, Precision: 1, Recall: .5, F1: .6667}, {Threshold: .25, Precision: .5, Recall: .9375, F1: .6522}}}},
			Ablations: &learning.Ablations{Figures: []string{"Same f1"}, Rows: []learning.AblationRow{
				{Without: "nothing", Values: []float64{.7627}}, {Without: "1: A(X) -> B(X) (r.psl:1:1)", Values: []float64{.4375}}, {Without: "the network of A"}}},
			Examples: 64, Wrong: 20, Cases: []learning.Case{{
				Name: "example 17", Pictures: [][]byte{{1, 2}}, Read: "9", Answer: "9", Truth: "4", Belief: new(.0625),
				Inputs: []string{"Read(17): 0.5 -1"},
				Pulls: []learning.Pull{{Atom: "Sum(9)", RuleForce: mapstate.RuleForce{Force: .28125, Rule: "1: P(X) -> Sum(X)"}},
					{Atom: "Sum(4)", RuleForce: mapstate.RuleForce{Force: -.21875, Rule: "!Sum(X)"}}},
				Values: []mapstate.AtomValue{{Atom: "Sum(9)", Value: .59375}},
				Explanation: &mapstate.Explanation{Energy: .15625, Broken: 1, BrokenRules: []mapstate.BrokenRule{{
					Rule: "1: A(X) -> B(X)", Weight: .375, Distance: .34375, Atoms: []mapstate.AtomValue{{Atom: "A(4)", Value: .40625}},
				}}},
			}},
		}),
	}
}

// toyDefaults are those of a task without a section of its own.
var toyDefaults = Options{Defaults: func(choice config.Config) (config.Config, error) { return config.Defaults(choice), nil }}

// write makes the page of a folder and returns it with its parse tree.
func write(t *testing.T, dir string) (string, *html.Node) {
	t.Helper()
	require.NoError(t, toyDefaults.Write(dir))
	data, err := os.ReadFile(filepath.Join(dir, File))
	require.NoError(t, err)
	root, err := html.Parse(strings.NewReader(string(data)))
	require.NoError(t, err)
	return string(data), root
}

// check tests what holds for every page: it loads nothing, runs nothing, its ids are
// unique and its own links lead somewhere.
func check(t *testing.T, root *html.Node) (text string) {
	t.Helper()
	ids, links := map[string]bool{}, []string{}
	var all strings.Builder
	for n := range root.Descendants() {
		if n.Type == html.TextNode && n.Parent.Data != "style" {
			all.WriteString(n.Data + " ")
		}
		if n.Type == html.TextNode && (strings.Contains(n.Data, "url(") || strings.Contains(n.Data, "@import")) {
			t.Errorf("text that loads: %.80s", n.Data)
		}
		if n.Type != html.ElementNode {
			continue
		}
		if n.Data == "script" || n.Data == "link" || n.Data == "iframe" {
			t.Errorf("an element %s", n.Data)
		}
		for _, a := range n.Attr {
			switch {
			case a.Key == "id":
				if ids[a.Val] {
					t.Errorf("id %q twice", a.Val)
				}
				ids[a.Val] = true
			case a.Key == "href" && strings.HasPrefix(a.Val, "#"):
				links = append(links, a.Val[1:])
			case (a.Key == "href" || a.Key == "src") && !strings.HasPrefix(a.Val, "data:image/"):
				t.Errorf("%s loads %.60q", n.Data, a.Val)
			case strings.HasPrefix(a.Key, "on"), strings.Contains(a.Val, "ZgotmplZ"):
				t.Errorf("%s has %s=%q", n.Data, a.Key, a.Val)
			}
		}
	}
	for _, l := range links {
		if !ids[l] {
			t.Errorf("a link to #%s, which is not there", l)
		}
	}
	return strings.Join(strings.Fields(all.String()), " ")
}

// TestPage: the numbers of all files are in the page, and no others in its results.
func TestPage(t *testing.T) {
	dir := folder(t, finished(t))
	page, root := write(t, dir)
	text := check(t, root)
	for _, want := range []string{
		"toy, neupsl, loss energy, recipe best, split 3, seed 0: finished after 2 steps.",
		"test 68.75 5.79 64 84.38", "validation, of step 2 62.50 40.62",
		"of 2e-09 on average and 3e-07 at worst, 1e-06 was asked for; hard rules are broken by 4e-10 at most; every solve was checked once more", "Wall 1.5 s", "a box, 2 cores", "cafe",
		" settings differ from the defaults", "setting here default symbolic.freeze-rules false true training.batch 47 10 All ", // which split is no setting
		"batch 0.75", "running mean 1.2", "norm 2.5", "symbolic 0.25", "test 0.6875", "test 0.8438", "valid 0.8125", "test 0.03125",
		"1: A(X) -> B(X) 0.375", // rule weights over time
		"0 3 75.00 % 1 25.00 % 4 75.00", "87.50 % of 8 are right",
		"Expected calibration error 0.25, of 2.",
		"Same precision 0.8125 recall 0.7188 F1 0.7627", "Evaluated at 0.4062: precision 0.8125, recall 0.7188, F1 0.7627.", "Read(17): 0.5 -1 pulls Sum(9) up, force 0.2812: 1: P(X) -> Sum(X) holds Sum(4) down, force -0.2188: !Sum(X)", "0.7627 nothing 0.4375 1: A(X) -> B(X) (r.psl:1:1) – the network of A", "0.75 1 0.5 0.6667 0.25 0.5 0.9375 0.6522",
		"20 of 64 are answered wrongly. Shown are 1", "example 17 : read 9, answer 9, is 4", "belief in the truth 0.0625; Sum(9) = 0.5938",
		"energy 0.1562, 1 ground rules broken", "by 0.3438, weight 0.375: 1: A(X) -> B(X) A(4) = 0.4062",
		"1: A(X) -> <script>alert(1)</script>",
		"PROGRAM stands for the program that made the run", "PROGRAM -config '", "had changes", "No checkpoint is left",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "training.epochs 50 50") || strings.Contains(page, `http-equiv`) {
		t.Error("a setting that does not differ has its default, or a finished run's page is fetched again")
	}
	if want := `<td class="key" title="examples that a gradient step sees; of a model file components of its program, and 1 is all of them; 1 or more">training.batch</td>`; !strings.Contains(page, want) {
		t.Errorf("no %s", want)
	}
	if again, _ := write(t, dir); again != page {
		t.Error("the page made twice differs")
	}
}

// TestGapOfTheMethod: a run without a gap of its own (symbolic.gap = 0) did not ask for 0.
func TestGapOfTheMethod(t *testing.T) {
	files := finished(t)
	files[record.ResultFile] = strings.Replace(files[record.ResultFile], `"gap_tolerance":0.000001`, `"gap_tolerance":0`, 1)
	_, root := write(t, folder(t, files))
	require.Contains(t, check(t, root), "3e-07 at worst, what the method comes to was asked for; hard rules")
}

// TestCalibrationParts: the page names as many parts as beliefs all over [0, 1] fall into.
func TestCalibrationParts(t *testing.T) {
	var all []float64
	for i := range 1000 {
		all = append(all, float64(i)/1000)
	}
	_, root := write(t, folder(t, finished(t)))
	parts := len(evaluate.Calibrate("", all, make([]bool, len(all))).Bins)
	require.Contains(t, check(t, root), fmt.Sprintf("Beliefs in %d equal parts of [0, 1]", parts))
}

// TestUnfinished: a page of each stage of a run, one with a single test point too.
func TestUnfinished(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  []string
	}{
		"nothing yet": {nil, []string{"at step 0", "No step is done yet.", "Nothing is measured yet."}},
		"long":        {map[string]string{record.MetricsFile: strings.ReplaceAll(metrics, `"step":2`, `"step":2000000`)}, []string{"at step 2000000", "validation at step 2000000 62.50"}},
		"running":     {map[string]string{record.MetricsFile: metrics + `{"step":3,"ep`}, []string{"at step 2", "validation at step 2 62.50", "1.4 s so far"}},
		"one test":    {map[string]string{record.MetricsFile: tested}, []string{"Accuracy test 0.6875"}},
	} {
		t.Run(name, func(t *testing.T) {
			page, root := write(t, folder(t, c.files))
			text := check(t, root)
			for _, want := range c.want {
				if !strings.Contains(text, want) {
					t.Errorf("no %q in\n%s", want, text)
				}
			}
			if !strings.Contains(page, `http-equiv="refresh"`) {
				t.Error("the page of a run that goes on is not fetched again")
			}
			if name == "one test" && strings.Count(page, `fill="#0072B2"`) != 3 {
				t.Error("a curve of one point has no marker")
			}
		})
	}
}

// TestDamage: errors name the file, and the line where there are lines.
func TestDamage(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"metrics":  {map[string]string{record.MetricsFile: strings.Replace(metrics, `"step":2`, `"step":x`, 1)}, "metrics.jsonl:2: "},
		"result":   {map[string]string{record.ResultFile: "{"}, "result.json: "},
		"shown":    {map[string]string{record.ShownFile: `{"wrong":"many"}`}, "shown.json: "},
		"settings": {map[string]string{record.ConfigFile: "task = 'toy'\nloss = \n"}, "config.toml:2:"},
	} {
		err := toyDefaults.Write(folder(t, c.files))
		if !errors.As(err, new(*learning.DataError)) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
	if err := toyDefaults.Write(t.TempDir()); !errors.As(err, new(*config.UsageError)) {
		t.Errorf("a folder without a run: %v", err)
	}
}

// TestEarlierVersion: settings that exist no more are shown, not compared, and figures
// that were drawn then are in the page.
func TestEarlierVersion(t *testing.T) {
	dir := folder(t, map[string]string{record.ConfigFile: "\uFEFFtask = 'toy'\nadditions = 300\n", "confusion.svg": "<svg/>"})
	page, root := write(t, dir)
	text := check(t, root)
	for _, want := range []string{"Not compared with the defaults of today: ", "config.toml:2:1: no such setting: additions; -settings of a training program lists all", "additions 300"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if !strings.Contains(page, `src="data:image/svg&#43;xml;base64,PHN2Zy8&#43;"`) && !strings.Contains(page, `src="data:image/svg+xml;base64,PHN2Zy8+"`) {
		t.Error("the old figure is not there")
	}
}

// TestThin: a long curve is drawn by the means of groups of steps, each step in one group and
// the last, smaller group as well, and the page says so; a short one is drawn as it is.
func TestThin(t *testing.T) {
	for steps, size := range map[int]int{200: 1, 1000: 4, 1001: 4, 1003: 4} {
		var lines strings.Builder
		loss := func(step int) float64 { return float64(step * step % 97) }
		for step := 1; step <= steps; step++ {
			fmt.Fprintf(&lines, `{"step":%d,"split":"train","loss":%v,"solver_s":0,"neural_s":0}`+"\n", step, loss(step))
		}
		r, err := Load(folder(t, map[string]string{record.MetricsFile: lines.String()}))
		require.NoError(t, err)
		panels, _ := r.Panels()
		p := panels[0]
		s := p.Series[0]
		if strings.Contains(p.Note, fmt.Sprintf(" %d steps", size)) != (size > 1) {
			t.Errorf("%d steps: the note %q", steps, p.Note)
		}
		if len(s.X) != (steps+size-1)/size || len(s.Y) != len(s.X) {
			t.Fatalf("%d steps: %d points", steps, len(s.X))
		}
		for g := range s.X {
			x, y, n := 0.0, 0.0, 0.0
			for step := g*size + 1; step <= min((g+1)*size, steps); step++ {
				x, y, n = x+float64(step), y+loss(step), n+1
			}
			if math.Abs(s.X[g]-x/n) > 1e-9 || math.Abs(s.Y[g]-y/n) > 1e-9 {
				t.Fatalf("%d steps, point %d: %v at %v, want %v at %v", steps, g, s.Y[g], s.X[g], y/n, x/n)
			}
		}
	}
}

// TestManyRules: no more rules are drawn than there are colours, those that change.
func TestManyRules(t *testing.T) {
	var lines strings.Builder
	for step := range 2 {
		var rules []string
		for k := range 12 {
			rules = append(rules, fmt.Sprintf(`{"rule":"r%d","weight":%d}`, k, step*k))
		}
		fmt.Fprintf(&lines, `{"step":%d,"split":"valid","rules":[%s]}`+"\n", step+1, strings.Join(rules, ","))
	}
	r, err := Load(folder(t, map[string]string{record.MetricsFile: lines.String()}))
	require.NoError(t, err)
	curves, note := r.rules(func(rule *learning.Rule) float64 { return rule.Weight })
	if len(curves) != 8 || curves[0].Name != "r11" || curves[7].Name != "r4" || note != "The 8 of 12 rules that change most." {
		t.Errorf("%d curves from %s, %q", len(curves), curves[0].Name, note)
	}
}

// TestCommands: the commands call the program that made the run, whatever it is, with the
// data that it was given, and go back to its commit only where that builds it anew.
func TestCommands(t *testing.T) {
	another := func(choice config.Config) (config.Config, error) {
		return choice, config.Usage("task", "%q is none of another", choice.Task)
	}
	for _, c := range []struct {
		Options
		want, not string
	}{
		{Options{Command: []string{"go", "run", "example.com/own task"}}, "git checkout 0123456789abcdef0123456789abcdef01234567\ngo run 'example.com/own task' -config RUN/config.toml -out RUN-again", "PROGRAM"},
		{Options{Command: []string{"./own"}}, "./own -config RUN/config.toml -out RUN-again\n./own -eval -out RUN\n./own -report RUN", "git"},
		{Options{Command: []string{"./own"}, Data: "my data"}, "./own -config RUN/config.toml -data 'my data' -out RUN-again\n./own -eval -data 'my data' -out RUN\n./own -report RUN", "git"},
		{Options{}, "PROGRAM -eval -out RUN", "go run"},
		{Options{Command: []string{"go", "run", "./cmd/train"}, Defaults: another}, "PROGRAM -eval -out RUN", "go run"}, // no task of this program
	} {
		if c.Defaults == nil {
			c.Defaults = toyDefaults.Defaults
		}
		dir := folder(t, finished(t))
		require.NoError(t, os.Mkdir(filepath.Join(dir, "step-1"), 0o755))
		require.NoError(t, c.Write(dir))
		text, err := os.ReadFile(filepath.Join(dir, File))
		require.NoError(t, err)
		root, err := html.Parse(bytes.NewReader(text))
		require.NoError(t, err)
		check(t, root)
		var lines []string
		for n := range root.Descendants() {
			if n.Type == html.TextNode && n.Parent.Data == "pre" {
				lines = append(lines, n.Data)
			}
		}
		run := strings.ReplaceAll(strings.Join(lines, "\n"), "'"+dir+"'", "RUN")
		run = strings.ReplaceAll(strings.ReplaceAll(run, "'"+dir+"/config.toml'", "RUN/config.toml"), "'"+dir+"-again'", "RUN-again")
		if !strings.Contains(run, c.want) || strings.Contains(run, c.not) {
			t.Errorf("%v: the page says\n%s\nwant\n%s", c.Command, run, c.want)
		}
	}
}

// TestFrozenRules: weights of rules that are not learned have no curve, their satisfaction has.
func TestFrozenRules(t *testing.T) {
	for _, frozen := range []bool{true, false} {
		c := config.Defaults(config.Config{Task: "toy"})
		c.Symbolic.FreezeRules = frozen
		text, err := c.Encode()
		require.NoError(t, err)
		r, err := Load(folder(t, map[string]string{record.ConfigFile: string(text), record.MetricsFile: metrics}))
		require.NoError(t, err)
		has := func(title string) bool {
			panels, _ := r.Panels()
			return slices.ContainsFunc(panels, func(p Panel) bool { return p.Title == title })
		}
		if has("Rule weights") == frozen || !has("Satisfaction of rules, labels fixed") {
			t.Errorf("frozen %v: weights drawn %v", frozen, has("Rule weights"))
		}
	}
}

// TestWeightsOfRules: the page says of weights that a step along the gradient may move anywhere not that they are on
// the simplex, and of which step the other figures are.
func TestWeightsOfRules(t *testing.T) {
	files := finished(t)
	_, root := write(t, folder(t, files))
	require.Contains(t, check(t, root), "Weights are on the unit simplex, as tested; satisfaction and the loss's derivative for the weight are those at the last validation.")
	c := config.Defaults(config.Config{Task: "toy"})
	c.Symbolic.Method = optim.Gradient
	text, err := c.Encode()
	require.NoError(t, err)
	files[record.ConfigFile] = string(text)
	_, root = write(t, folder(t, files))
	require.Contains(t, check(t, root), "Weights are as tested; satisfaction")
}

// TestStill: curves that do not move are listed with their value, not drawn; one that rounding
// alone moves is among them.
func TestStill(t *testing.T) {
	var lines strings.Builder
	for step, loss := range []float64{3, 2, 1} {
		fmt.Fprintf(&lines, `{"step":%d,"epoch":0,"split":"train","loss":%g,"learning_rate":0.001,"grad_norm":%v}`+"\n",
			step+1, loss, 2+4e-16*float64(step))
	}
	page, _ := write(t, folder(t, map[string]string{record.MetricsFile: lines.String()}))
	for _, want := range []string{"<figcaption>Loss", "Learning rate: learning rate 0.001", "Norm of the gradient, before it is clipped: norm 2"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
	for _, title := range []string{"Learning rate", "Norm of the gradient"} {
		if strings.Contains(page, "<figcaption>"+title) {
			t.Errorf("%s is drawn", title)
		}
	}
}

func TestQuote(t *testing.T) {
	for _, c := range []struct{ word, want string }{
		{"runs/a-1", "runs/a-1"}, {"a run", "'a run'"}, {"it's", `'it'\''s'`}, {"", "''"},
	} {
		if got := quote(c.word); got != c.want {
			t.Errorf("%s for %s", got, strconv.Quote(c.word))
		}
	}
}

// TestCommit: a row has the commit of the program where that is known.
func TestCommit(t *testing.T) {
	for version, want := range map[string]string{"0123456789ab+changes": "0123456789ab+changes", "unknown": "", "(devel)": "", "": ""} {
		if got := (&Run{Result: &record.Result{Version: version}}).Row().Commit; got != want {
			t.Errorf("version %q: commit %q, want %q", version, got, want)
		}
	}
}

// TestZeroIsAFigure: parts of which none is right, and outputs without a doubt, are points of the curves as others are.
func TestZeroIsAFigure(t *testing.T) {
	r := &Run{Settings: map[string]string{}}
	for step := range 2 {
		share := float64(step)
		r.Metrics = append(r.Metrics, Metric{Metric: record.Metric{Step: step, Split: learning.ValidPart, Parts: &share, Entropy: &share}})
	}
	panels, _ := r.Panels()
	require.Len(t, panels, 2)
	for _, p := range panels {
		assert.Equal(t, []float64{0, 1}, p.Series[0].Y, p.Title)
	}
}
