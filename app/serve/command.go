package serve

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"runtime"
	"runtime/debug"

	"hinge/app/cli"
	command "hinge/app/train"
	"hinge/nn/kernel"
	"hinge/train/config"
	"hinge/train/exit"
	"hinge/train/learning"
	"hinge/train/modelfile"
)

// flags are the command line.
type flags struct {
	dir, addr, data string
	set             []string
	Options
}

// Main runs the command that serves runs of the tasks and returns its exit code. SIGINT,
// SIGTERM and SIGHUP end it as soon as the requests that have begun are answered.
func Main(args []string, stdout, stderr io.Writer, tasks ...learning.Task) int {
	f, err := parse(args, stderr)
	if err == nil {
		err = f.serve(stdout, stderr, tasks)
	}
	return cli.Exit("serve", stderr, exit.OK, err)
}

func parse(args []string, usageTo io.Writer) (*flags, error) {
	o := &flags{Options: Options{}.filled()}
	f := flag.NewFlagSet("serve", flag.ContinueOnError)
	f.StringVar(&o.dir, "run", "", "run `folder` whose tested weights answer")
	f.StringVar(&o.addr, "addr", "127.0.0.1:8080", "`address` to listen on; one without a host, such as :8080, is open to the network")
	f.StringVar(&o.data, "data", os.Getenv("HINGE_DATA"), "data root `folder` (also HINGE_DATA)")
	cli.Several(f, &o.set, "set", "a `KEY=VALUE` that differs from the run's, such as neural.test-views=0; repeat it for more")
	f.DurationVar(&o.Wait, "wait", o.Wait, "how long a request waits for others that are being read, to be answered with")
	f.IntVar(&o.Batch, "batch", o.Batch, "examples after which it does not wait")
	f.IntVar(&o.Queue, "queue", o.Queue, "requests that are held at once; more are refused with 429")
	f.Int64Var(&o.Body, "body", o.Body, "largest request in bytes")
	f.IntVar(&o.Examples, "examples", o.Examples, "most examples of a request")
	f.IntVar(&o.Pixels, "pixels", o.Pixels, "most pixels of a picture")
	f.DurationVar(&o.Timeout, "timeout", o.Timeout, "time to read a request and, again, to answer it")
	if _, err := cli.Parse(f, args, "serve -run DIR [flags]", usageTo); err != nil {
		return nil, err
	}
	if o.dir == "" {
		return nil, cli.Usage("-run is missing: the folder of a run of cmd/train")
	}
	if o.Wait <= 0 || o.Batch <= 0 || o.Queue <= 0 || o.Body <= 0 || o.Examples <= 0 || o.Pixels <= 0 || o.Timeout <= 0 {
		return nil, cli.Usage("-wait, -batch, -queue, -body, -examples, -pixels and -timeout must be above 0")
	}
	return o, nil
}

// serve answers until a signal.
func (f *flags) serve(stdout, stderr io.Writer, tasks []learning.Task) error {
	// A copy of the model a processor, each on its own, answers more than one on all.
	kernel.Alone(true)
	server, err := f.open(tasks, runtime.GOMAXPROCS(0))
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", f.addr)
	if err != nil {
		return cli.Usage("-addr: %v", err)
	}
	// The model that was trained is garbage now, and most of the heap.
	debug.FreeOSMemory()
	f.Log = slog.New(slog.NewTextHandler(stderr, nil))
	s := server()
	defer s.Close()
	ctx, _ := cli.Signals("serve: finishing what was begun; once more to exit at once")
	fmt.Fprintf(stdout, "serving %s of %s at http://%s\n", s.name, f.dir, l.Addr())
	return s.Run(ctx, l)
}

// unserved is the error about a run of a task that cannot be served.
func unserved(dir, task, why string) error {
	return cli.Usage("-run: %s is a run of %s which has no form to be served (learning.Answerer); additions and model files have%s", dir, task, why)
}

// open reads the run and returns a function that makes a server of n copies of its model.
func (f *flags) open(tasks []learning.Task, n int) (func() *Server, error) {
	cfg, model, err := command.Open(tasks, f.dir, f.data, f.set...)
	if u := (*config.UsageError)(nil); errors.As(err, &u) {
		switch u.Key {
		case "out":
			err = cli.Usage("-run: %s", u.Problem)
		case "task":
			err = unserved(f.dir, "a task", ": "+u.Problem)
		}
	}
	if err != nil {
		return nil, err
	}
	if m, ok := model.(*modelfile.Model); ok {
		kernel.Alone(false) // there is one copy
		p, err := m.NewPredictor()
		return func() *Server { return NewFile(f.Options, p) }, err
	}
	m, ok := model.(learning.Answerer)
	if !ok {
		return nil, unserved(f.dir, cfg.Task, "")
	}
	copies := make([]learning.Answers, n)
	for i := range copies {
		if copies[i], err = m.Answers(); err != nil {
			return nil, err
		}
	}
	return func() *Server { return New(cfg.Task, f.Options, copies...) }, nil
}
