package train

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"

	"hinge/train/checkpoint"
)

// Ensure brings the run of a configuration to its result, however far it has
// come: a folder with the result of this configuration is only read, one with a
// checkpoint goes on from there, any other begins. open makes the model and is
// called only where there is something left to do. opt.Resume is ignored; errors
// are those of open and Run.
func Ensure(ctx context.Context, cfg Config, open func() (Model, error), opt Options) (Result, error) {
	if res, ok := finished(opt.Dir, cfg.Hash()); ok {
		return res, nil
	}
	model, err := open()
	if err != nil {
		return Result{}, err
	}
	opt.Resume = begun(opt.Dir)
	return Run(ctx, cfg, model, opt)
}

// finished reads the result of a folder, if it is that of the configuration.
func finished(dir, hash string) (Result, bool) {
	var res Result
	data, err := os.ReadFile(filepath.Join(dir, resultFile))
	if err != nil || json.Unmarshal(data, &res) != nil || res.ConfigHash != hash {
		return Result{}, false
	}
	return res, true
}

// begun tells whether there is a checkpoint to go on from.
func begun(dir string) bool {
	store, err := checkpoint.Open(dir, checkpoint.Options{ReadOnly: true})
	if err != nil {
		return false
	}
	_, err = store.Latest(nil)
	return err == nil
}
