package train

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"

	"hinge/app/cli"
	"hinge/symbolic/psl"
	"hinge/train/config"
	"hinge/train/learning"
	"hinge/train/modelfile"
)

// recommend prints the settings that a run of the task would choose by its data, as a configuration
// file with the reasons, and the seconds that it would take.
func recommend(w io.Writer, o *options) error {
	task, ok := o.task.(modelfile.Task)
	if !ok {
		return config.Usage("-recommend", "it looks at model files; the settings of %s are its recipe's (-settings lists them)", o.config.Task)
	}
	list, err := task.Advise(o.config)
	if err != nil {
		return err
	}
	cost, err := o.expected()
	if err != nil {
		return err
	}
	text, err := adviceTOML(o.config.Task, list)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "# What a run of this model without settings takes. %s\n%s", cost, text)
	return err
}

// adviceTOML writes settings as a configuration file.
func adviceTOML(task string, list []modelfile.Advice) (string, error) {
	sections := map[string][]string{}
	for _, a := range list {
		section, name, below := strings.Cut(a.Key, ".")
		if !below {
			section, name = "", a.Key
		}
		line, err := toml.Marshal(map[string]any{name: a.Value})
		if err != nil {
			return "", err
		}
		sections[section] = append(sections[section], fmt.Sprintf("# %s.\n%s", strings.ToUpper(a.Why[:1])+a.Why[1:], line))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "task = '%s'\n%s", task, strings.Join(sections[""], ""))
	for _, name := range []string{"training", "neural", "symbolic", "bilevel", "options"} {
		if lines := sections[name]; lines != nil {
			fmt.Fprintf(&b, "\n[%s]\n%s", name, strings.Join(lines, ""))
		}
	}
	return b.String(), nil
}

// expected measures a few steps and a validation, and describes how long the run would take at most.
func (o *options) expected() (string, error) {
	m, err := o.task.Open(o.config, o.data)
	if err != nil {
		return "", err
	}
	if err := m.Neural().StartFrom(o.config.Neural.Init, func(string) {}); err != nil {
		return "", err
	}
	t := &o.config.Training
	batches := o.config.Batches(m.Examples(learning.TrainPart), 0)
	steps := t.Steps
	if n := t.Epochs * len(batches); n > 0 && (steps == 0 || n < steps) {
		steps = n
	}
	step, err := timed(3, func(i int) error {
		_, err := m.Gradient(learning.Step{Number: i, Temperature: 1}, batches[i%len(batches)])
		return err
	})
	if err != nil {
		return "", err
	}
	validation, err := timed(0, func(int) error { _, err := m.Evaluate(context.Background(), learning.ValidPart); return err })
	if err != nil {
		return "", err
	}
	n := max(steps/t.ValidEvery, 1)
	seconds := float64(steps)*step + float64(n)*validation
	return fmt.Sprintf("At most about %s on this\n# machine: %s of %s and %s of %s.",
		cli.Seconds(seconds), psl.Count(steps, "step"), cli.Seconds(step), psl.Count(n, "validation"), cli.Seconds(validation)), nil
}

// timed calls f once to warm up, and returns the least seconds of the given number of further calls;
// those of the first one if there are none.
func timed(calls int, f func(i int) error) (least float64, err error) {
	for i := range calls + 1 {
		begin := time.Now()
		if err := f(i); err != nil {
			return 0, err
		}
		if s := time.Since(begin).Seconds(); i <= 1 || s < least {
			least = s
		}
	}
	return least, nil
}
