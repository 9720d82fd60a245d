package runs

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"hinge/app/cli"
	"hinge/symbolic/model"
	"hinge/train/learning"
	"hinge/train/modelfile"
)

// Runs disagree if they give the same class for less than this share of the entities. Two runs
// that each read 97 of 100 correctly agree on about 94 or more.
const disagree = 0.9

// agree prints how often the networks of several runs of one model file give the same class,
// for which classes they differ, the figures of each run, and the figures of the mean of their
// outputs. The entities come from the model file's partition infer; file "" means the model
// file of the first run.
func agree(w io.Writer, file string, dirs []string) error {
	own, err := modelfile.ModelOf(dirs[0])
	if err != nil {
		return err
	}
	file = cmp.Or(file, own)
	m, err := model.Load(file, model.LoadOptions{})
	if err != nil {
		return cli.Usage("-agree: %v", err)
	}
	said, learned := make([][]modelfile.Classification, len(dirs)), make([]*modelfile.Trained, len(dirs))
	root := os.Getenv("HINGE_DATA")
	for i, dir := range dirs {
		if _, err := modelfile.ModelOf(dir); err != nil {
			return err
		}
		if learned[i], err = modelfile.LoadTrained(dir, nil); err != nil {
			return err
		}
		if said[i], err = learned[i].Classify(m, root); err != nil {
			return &learning.DataError{Err: fmt.Errorf("%s: %w", dir, err)}
		}
	}
	for k := range said[0] {
		var runs []*modelfile.Classification
		for i := range said {
			runs = append(runs, &said[i][k])
		}
		if err := compare(w, runs); err != nil {
			return err
		}
	}
	return average(w, file, root, learned)
}

// average prints the figures of each run and of the mean of their outputs.
func average(w io.Writer, file, root string, runs []*modelfile.Trained) error {
	mean, err := modelfile.Judge(file, root, runs...)
	if err != nil {
		return err
	}
	text := map[string]string{}
	for _, r := range runs {
		one, err := modelfile.Judge(file, root, r)
		if err != nil {
			return err
		}
		for name, value := range one {
			text[name] += fmt.Sprintf("%.3f ", value)
		}
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "figure\tmean of the values\tby run")
	for _, name := range slices.Sorted(maps.Keys(mean)) {
		fmt.Fprintf(table, "%s\t%.3f\t%s\n", name, mean[name], strings.TrimSpace(text[name]))
	}
	return table.Flush()
}

// compare prints the agreement of several runs on the entities of a predicate: in all, and by
// true class or, if no true class is known, by the class that the first run gives.
func compare(w io.Writer, runs []*modelfile.Classification) error {
	first := runs[0]
	by, classes := "true class", first.Truth
	if !slices.ContainsFunc(first.Truth, func(c int) bool { return c >= 0 }) {
		by, classes = "class of the first run", first.Class
	}
	same := func(e int) bool {
		return !slices.ContainsFunc(runs, func(r *modelfile.Classification) bool { return r.Class[e] != first.Class[e] })
	}
	all := 0
	number, agreed := make([]int, len(first.Classes)), make([]int, len(first.Classes))
	votes := make([][][]int, len(first.Classes)) // by class, run and answer
	for e := range first.Entities {
		is := same(e)
		if is {
			all++
		}
		c := classes[e]
		if c < 0 {
			continue
		}
		number[c]++
		if is {
			agreed[c]++
		}
		if votes[c] == nil {
			votes[c] = make([][]int, len(runs))
		}
		for i, r := range runs {
			if votes[c][i] == nil {
				votes[c][i] = make([]int, len(r.Classes))
			}
			votes[c][i][r.Class[e]]++
		}
	}
	share := func(part, of int) float64 { return 100 * float64(part) / float64(max(of, 1)) }
	fmt.Fprintf(w, "%s: the %d runs say the same of %.1f %% of %d entities\n", first.Predicate, len(runs), share(all, len(first.Entities)), len(first.Entities))
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "%s\tentities\tagreed\tmost often said, by run\n", by)
	for c, name := range first.Classes {
		if number[c] == 0 {
			continue
		}
		var most []string
		for _, v := range votes[c] {
			most = append(most, first.Classes[slices.Index(v, slices.Max(v))])
		}
		fmt.Fprintf(table, "%s\t%d\t%.1f %%\t%s\n", name, number[c], share(agreed[c], number[c]), strings.Join(most, " "))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if float64(all) < disagree*float64(len(first.Entities)) {
		_, err := fmt.Fprintln(w, "the runs disagree: cmd/infer -shortcuts tells whether labels and rules could tell the classes apart (docs/SHORTCUTS.md)")
		return err
	}
	return nil
}
