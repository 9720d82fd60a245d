package train

import (
	"encoding/json"
	"os"
	"path/filepath"

	"hinge/train/learning"
	"hinge/train/record"
)

// show writes the report of the last test. It is no part of the result: a failure is only
// noted.
func (r *run) show() error {
	model, ok := r.model.(learning.Reporter)
	if !ok {
		return nil
	}
	shown, err := model.Show()
	if err != nil || shown == nil {
		return err
	}
	data, err := json.Marshal(shown)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.opt.Dir, record.ShownFile), data, 0o644)
}
