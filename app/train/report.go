package train

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"hinge/app/report"
	"hinge/train/config"
	"hinge/train/learning"
	"hinge/train/machine"
)

// reporter makes pages of runs. They compare the settings with the defaults of their tasks and
// contain the name of this program.
func reporter(tasks []learning.Task) report.Options {
	return report.Options{Command: machine.Command(), Defaults: func(choice config.Config) (config.Config, error) {
		t, err := learning.Find(tasks, choice.Task)
		if err != nil {
			return config.Config{}, err
		}
		return t.Defaults(choice)
	}}
}

// writeReport makes the page of an old run folder.
func writeReport(w io.Writer, o *options) error {
	if err := o.pages.Write(o.report); err != nil {
		written := errors.As(err, new(*fs.PathError)) || errors.As(err, new(*os.LinkError))
		if written && !errors.As(err, new(*learning.DataError)) {
			return config.Usage("report", "%v", err)
		}
		return err
	}
	_, err := fmt.Fprintln(w, filepath.Join(o.report, report.File))
	return err
}
