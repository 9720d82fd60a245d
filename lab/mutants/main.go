package main

import (
	"context"
	_ "embed"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"runtime"
	"time"
)

//go:embed mutations.toml
var data []byte

func main() {
	drawn := flag.Bool("generated", false, "draw mutations of the packages that changed, in place of the list")
	only := flag.String("only", "", "apply the mutations whose name or file matches this regular expression")
	workers := flag.Int("j", runtime.GOMAXPROCS(0), "number of mutations tested at once")
	timeout := flag.Duration("timeout", 3*time.Minute, "time for the tests of one mutation")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ok, err := check(ctx, os.Stdout, ".", *only, *drawn, *workers, *timeout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
	}
	if err != nil || !ok {
		os.Exit(1)
	}
}

// check applies the mutations that only matches and reports whether all are noticed, or, if
// drawn, whether enough of the generated ones are.
func check(ctx context.Context, w io.Writer, root, only string, drawn bool, workers int, timeout time.Duration) (bool, error) {
	r, err := newRunner(root, workers, timeout)
	if err != nil {
		return false, err
	}
	defer r.close()
	if drawn {
		rec, err := readRecord(recorded)
		if err != nil {
			return false, err
		}
		return generated(ctx, w, r, rec)
	}
	chosen, err := regexp.Compile(only)
	if err != nil {
		return false, fmt.Errorf("-only: %w", err)
	}
	all, err := parse(data)
	if err != nil {
		return false, err
	}
	list := all[:0]
	for _, m := range all {
		if chosen.MatchString(m.Name) || chosen.MatchString(m.File) {
			list = append(list, m)
		}
	}
	if len(list) == 0 {
		return false, fmt.Errorf("no mutation matches -only %s", only)
	}
	noticed, faults, err := r.run(ctx, w, list)
	return err == nil && noticed == faults, err
}
