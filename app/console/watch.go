package console

import (
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"time"

	"hinge/symbolic/facts"
	"hinge/train"
	"hinge/train/record"
)

// Watch returns an observer that passes everything on to another one and also answers
// questions about the run. At SIGUSR1, on systems that have it, it makes a Note of the Status.
// If file is not empty, the file always holds the newest Status as one JSON object; it is
// replaced by renaming, at most once a second. A file that cannot be written is an error here,
// and a Note later. From the call on, SIGUSR1 no longer ends the process.
func Watch(to train.Observer, file string) (train.Observer, error) {
	w := &watched{to: to, file: file, end: make(chan struct{})}
	w.status.State = "waiting"
	if err := w.write(); err != nil {
		return nil, err
	}
	questions := make(chan os.Signal, 1)
	ask(questions)
	go func() {
		for {
			select {
			case <-questions:
				w.mu.Lock()
				w.status.at(time.Now())
				w.to.Note(w.status.String())
				w.mu.Unlock()
			case <-w.end:
				return
			}
		}
	}()
	return w, nil
}

// watched is the observer of Watch. mu lets one of the run and of the questions through
// at a time.
type watched struct {
	mu     sync.Mutex
	to     train.Observer
	file   string // empty once it has failed
	status Status
	wrote  time.Time
	end    chan struct{}
}

// writeInterval is the least time between two writings about steps.
const writeInterval = time.Second

func (w *watched) Start(p train.Plan) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.status.start(p, time.Now())
	w.to.Start(p)
	w.tell()
}

func (w *watched) Step(step int, m record.Metric) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.status.step(step, &m)
	w.to.Step(step, m)
	if time.Since(w.wrote) >= writeInterval {
		w.tell()
	}
}

func (w *watched) Valid(step int, m record.Metric, fate train.Fate) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.status.valid(step, &m, fate)
	w.to.Valid(step, m, fate)
	w.tell()
}

func (w *watched) Note(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.to.Note(text)
}

func (w *watched) Done() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.status.State = "ended"
	w.tell()
	w.to.Done()
	close(w.end)
}

// tell writes the file; a failure is the last.
func (w *watched) tell() {
	if err := w.write(); err != nil {
		w.file = ""
		w.to.Note(fmt.Sprintf("the progress file is no longer written: %v", err))
	}
}

func (w *watched) write() error {
	if w.file == "" {
		return nil
	}
	w.wrote = time.Now()
	w.status.at(w.wrote)
	text, err := json.Marshal(&w.status)
	if err != nil {
		return err
	}
	return facts.Replace(w.file, append(text, '\n'))
}
