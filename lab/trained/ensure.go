package trained

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"hinge/train"
	"hinge/train/config"
	"hinge/train/learning"
	"hinge/train/record"
)

// ensure brings the run of a configuration to its result, however far it has come: a folder
// with the result of this configuration is only read; a folder with a checkpoint is resumed;
// otherwise the run begins. After the end of a run only its result, metrics and pictures stay:
// nobody resumes its checkpoints, and a table has hundreds of runs. keep leaves the last one.
//
// open makes the model, and further models (Options.Another). It is called only if something
// is left to do. opt.Resume and opt.Another are ignored. Errors are those of open and
// train.Run, and a ConfigChangedError for a folder of another configuration.
func ensure(ctx context.Context, cfg config.Config, open func() (learning.Model, error), opt train.Options, keep bool) (record.Result, error) {
	if res, ok, err := finished(opt.Dir, &cfg); ok || err != nil {
		return res, err
	}
	model, err := open()
	if err != nil {
		return record.Result{}, err
	}
	opt.Resume, opt.Another = train.Begun(opt.Dir), open
	res, err := train.Run(ctx, cfg, model, opt)
	if err != nil {
		return record.Result{}, err
	}
	if keep {
		return res, nil
	}
	steps, err := fs.Glob(os.DirFS(opt.Dir), "step-*")
	for _, step := range steps {
		err = errors.Join(err, os.RemoveAll(filepath.Join(opt.Dir, step)))
	}
	return res, err
}

// finished reads the result of a folder, if there is one. A result of another configuration is
// an error.
func finished(dir string, cfg *config.Config) (record.Result, bool, error) {
	res, err := record.ReadResult(dir)
	if err != nil {
		return record.Result{}, false, nil
	}
	text, err := os.ReadFile(filepath.Join(dir, record.ConfigFile))
	if err == nil && config.IdentityOf(string(text)) == cfg.Identity() {
		return res, true, nil
	}
	var old config.Config
	if err := old.LoadFile(filepath.Join(dir, record.ConfigFile)); err != nil {
		return record.Result{}, false, err
	}
	return record.Result{}, false, &train.ConfigChangedError{Keys: old.Diff(cfg)}
}
