package train

import "fmt"

// report leaves what the model has to show of its test, and has the page of the run
// made. Neither is part of the result: a failure is only noted.
func (r *run) report() {
	if r.opt.Report == nil {
		return
	}
	if err := r.opt.Report(r.opt.Dir); err != nil {
		r.obs.Note(fmt.Sprintf("no report: %v", err))
	}
}
