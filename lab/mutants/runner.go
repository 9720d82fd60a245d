package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// runner tests mutations of the module at root.
type runner struct {
	root, work string // absolute; work is a folder for changed files
	workers    int
	timeout    time.Duration
}

func newRunner(root string, workers int, timeout time.Duration) (*runner, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(root, "go.mod")); err != nil {
		return nil, fmt.Errorf("not the root of a module: %w", err)
	}
	work, err := os.MkdirTemp("", "mutants")
	return &runner{root, work, max(workers, 1), timeout}, err
}

func (r *runner) close() { os.RemoveAll(r.work) }

// verdict is what came of a mutation: the test that noticed it, or why it counts as not
// noticed.
type verdict struct {
	test    string
	err     error
	seconds float64
}

// errSurvived is the verdict on a fault with which all tests pass.
var errSurvived = errors.New("SURVIVED: no test fails")

// run tests the list, writes a line for each and returns how many are faults and how many of
// them are noticed. A mutation that was drawn and does not compile is no fault.
func (r *runner) run(ctx context.Context, w io.Writer, list []*mutation) (noticed, faults int, err error) {
	began := time.Now()
	sound := r.baselines(ctx, list)
	verdicts := make([]verdict, len(list))
	var lock sync.Mutex // of w and the counts
	faults = len(list)
	r.each(len(list), func(n int) {
		m, v := list[n], &verdicts[n]
		from := time.Now()
		if v.err = sound[m]; v.err == nil {
			v.test, v.err = r.test(ctx, n, m)
		}
		v.seconds = time.Since(from).Seconds()
		lock.Lock()
		defer lock.Unlock()
		if ctx.Err() != nil {
			return
		}
		if m.drawn && errors.Is(v.err, errCompile) {
			faults--
			return
		}
		if v.err == nil {
			noticed++
			fmt.Fprintf(w, "noticed  %5.1f s  %s: %s (%s)\n", v.seconds, m.File, m.Name, v.test)
		} else {
			fmt.Fprintf(w, "NOT      %5.1f s  %s: %s: %v\n", v.seconds, m.File, m.Name, v.err)
		}
	})
	if ctx.Err() != nil {
		return 0, 0, context.Cause(ctx)
	}
	fmt.Fprintf(w, "%d mutations, %d noticed, in %.0f s\n", faults, noticed, time.Since(began).Seconds())
	return noticed, faults, nil
}

// each calls f with 0 to n-1, some at once.
func (r *runner) each(n int, f func(n int)) {
	var wg sync.WaitGroup
	next := make(chan int)
	for range r.workers {
		wg.Go(func() {
			for i := range next {
				f(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wg.Wait()
}

// baselines runs the tests of all mutations without any, by package, and returns what is
// wrong with those of a mutation: a fault is noticed only by a test that passes without it.
func (r *runner) baselines(ctx context.Context, list []*mutation) map[*mutation]error {
	var packages []string
	of := map[string][]*mutation{}
	for _, m := range list {
		if of[m.Package] == nil {
			packages = append(packages, m.Package)
		}
		of[m.Package] = append(of[m.Package], m)
	}
	wrong := map[*mutation]error{}
	var lock sync.Mutex
	r.each(len(packages), func(n int) {
		pkg := packages[n]
		var runs []string
		for _, m := range of[pkg] {
			runs = append(runs, m.Run)
		}
		out, err := r.goTest(ctx, pkg, strings.Join(runs, "|"), "")
		lock.Lock()
		defer lock.Unlock()
		for _, m := range of[pkg] {
			switch {
			case err != nil:
				wrong[m] = fmt.Errorf("without the fault: %w", err)
			case out.first(m) != "":
				wrong[m] = fmt.Errorf("%s fails without the fault", out.first(m))
			case !out.passes(m):
				wrong[m] = fmt.Errorf("no test of %s that is not skipped matches %s", pkg, m.Run)
			}
		}
	})
	return wrong
}

// test applies mutation n and returns the test that noticed it.
func (r *runner) test(ctx context.Context, n int, m *mutation) (string, error) {
	text, err := m.apply(r.root)
	if err != nil {
		return "", err
	}
	changed := filepath.Join(r.work, fmt.Sprintf("%d.go", n))
	overlay := filepath.Join(r.work, fmt.Sprintf("%d.json", n))
	list, err := json.Marshal(map[string]map[string]string{
		"Replace": {filepath.Join(r.root, filepath.FromSlash(m.File)): changed},
	})
	if err != nil {
		return "", err
	}
	if err := errors.Join(os.WriteFile(changed, text, 0o600), os.WriteFile(overlay, list, 0o600)); err != nil {
		return "", err
	}
	out, err := r.goTest(ctx, m.Package, m.Run, overlay)
	if m.drawn && (errors.Is(err, errHangs) || errors.Is(err, errEnded)) {
		return err.Error(), nil
	}
	if err != nil {
		return "", err
	}
	if test := out.first(m); test != "" {
		return test, nil
	}
	return "", errSurvived
}
