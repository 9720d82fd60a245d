package train

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"hinge/train/learning"
	"hinge/train/record"
)

// reportShare is the part of the time that pages after validations may take.
const reportShare = 0.02

// reportDue reports whether the page is to be made after a step.
func (r *run) reportDue() bool {
	if every := r.opt.ReportEvery; every > 0 {
		return r.state.Step%every == 0
	}
	cheap := r.reportTook.Seconds() <= reportShare*time.Since(r.reportedAt).Seconds()
	return r.validated == r.state.Step && cheap
}

// report has the page of the run made. It is no part of the result: a failure is only
// noted.
func (r *run) report() {
	if r.opt.Report == nil {
		return
	}
	start := time.Now()
	if err := r.opt.Report(r.opt.Dir); err != nil {
		r.obs.Note(fmt.Sprintf("no report: %v", err))
	}
	r.reportedAt = time.Now()
	r.reportTook = r.reportedAt.Sub(start)
}

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
