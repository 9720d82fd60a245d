package train

import "fmt"

// Drawer is implemented by models that have something to show of their last test.
type Drawer interface {
	// Draw writes figures to dir.
	Draw(dir string) error
}

// draw leaves figures in the run folder. They are no part of the result: a
// failure is only noted.
func (r *run) draw() {
	err := r.show()
	if model, ok := r.model.(Drawer); ok && err == nil {
		err = model.Draw(r.opt.Dir)
	}
	if err != nil {
		r.obs.Note(fmt.Sprintf("no figures: %v", err))
	}
}

// report has the page of the run made, which is no part of the result either.
func (r *run) report() {
	if r.opt.Report == nil {
		return
	}
	if err := r.opt.Report(r.opt.Dir); err != nil {
		r.obs.Note(fmt.Sprintf("no report: %v", err))
	}
}
