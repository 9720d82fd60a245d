package tensorboard

import (
	"errors"
	"fmt"
	"time"

	"hinge/train"
	"hinge/train/record"
)

// Follow returns an observer that passes everything on to another one and also writes the
// event file of the run in dir: after validations, some seconds after steps, and at the end.
// An error is reported as a Note, after which nothing more is written.
func Follow(to train.Observer, dir string) train.Observer { return &follower{Observer: to, dir: dir} }

type follower struct {
	train.Observer
	dir   string
	f     *folder // nil before the start and after an error
	wrote time.Time
}

// interval is the least time between two writings about steps.
const interval = 5 * time.Second

func (o *follower) Start(p train.Plan) {
	o.Observer.Start(p)
	var err error
	if o.f, err = open(o.dir); err == nil {
		err = o.f.update()
	}
	o.failed(err)
}

func (o *follower) Step(step int, m record.Metric) {
	o.Observer.Step(step, m)
	if time.Since(o.wrote) >= interval {
		o.update()
	}
}

func (o *follower) Valid(step int, m record.Metric, fate train.Fate) {
	o.Observer.Valid(step, m, fate)
	o.update()
}

func (o *follower) Done() {
	o.update()
	if o.f != nil {
		o.failed(errors.Join(o.f.show(), o.f.out.Sync()))
	}
	if o.f != nil {
		o.failed(o.f.out.Close())
	}
	o.Observer.Done()
}

func (o *follower) update() {
	if o.f != nil {
		o.wrote = time.Now()
		o.failed(o.f.update())
	}
}

func (o *follower) failed(err error) {
	if err != nil {
		if o.f != nil {
			_ = o.f.out.Close() // the first error is the one to tell
			o.f = nil
		}
		o.Note(fmt.Sprintf("no events for TensorBoard: %v", err))
	}
}
