// Package watch looks after a command's long work: Progress says how far it is, a Stopper heeds
// signals so that what is done is written, and LimitMemory ends the work before the memory does.
//
//	p := watch.NewProgress("infer", os.Stderr, false)
//	defer p.Close()
//	stop := watch.NewStopper(p.Note)
//	defer stop.Close()
//	p.Start("solving")
//	stop.Hold() // from here on there is something to keep
//
// All of it is safe for concurrent use. A process has one Stopper at a time, since it takes the
// signals of the process. The error of LimitMemory has the exit code Usage.
package watch
