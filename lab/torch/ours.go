package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// program is a test binary of this module.
type program struct{ path string }

// build compiles the tests of a package of this module.
func build(ctx context.Context, dir, pkg string) (program, error) {
	p := program{filepath.Join(dir, strings.ReplaceAll(pkg, "/", "_")+".test")}
	cmd := exec.CommandContext(ctx, "go", "test", "-c", "-o", p.path, pkg)
	if out, err := cmd.CombinedOutput(); err != nil {
		return p, fmt.Errorf("building %s: %w\n%s", pkg, err, out)
	}
	return p, nil
}

// result is one line of a benchmark: its name and its figures by unit.
type result struct {
	name    string
	figures map[string]float64
}

// run runs the benchmarks that match the pattern and returns what they report
// and the process's peak of resident memory in bytes, 0 where it is not known.
// length is a -test.benchtime.
func (p program) run(ctx context.Context, pattern, length string, threads int) ([]result, int64, error) {
	cmd := exec.CommandContext(ctx, p.path, "-test.run=^$", "-test.bench="+pattern, "-test.benchtime="+length)
	cmd.Env = append(os.Environ(), fmt.Sprintf("GOMAXPROCS=%d", threads))
	out, err := cmd.Output()
	if err != nil {
		return nil, 0, fmt.Errorf("benchmark %s: %w\n%s", pattern, err, out)
	}
	list := parse(out, threads)
	if len(list) == 0 {
		return nil, 0, fmt.Errorf("no benchmark matches %s:\n%s", pattern, out)
	}
	return list, peakMemory(cmd.ProcessState), nil
}

// parse reads the output of a test binary. The number of threads, which the
// testing package appends to the names, is left out.
func parse(out []byte, threads int) []result {
	var list []result
	for in := bufio.NewScanner(bytes.NewReader(out)); in.Scan(); {
		words := strings.Fields(in.Text())
		if len(words) < 4 || !strings.HasPrefix(words[0], "Benchmark") {
			continue
		}
		r := result{name: strings.TrimPrefix(words[0], "Benchmark"), figures: map[string]float64{}}
		if threads > 1 {
			r.name = strings.TrimSuffix(r.name, fmt.Sprintf("-%d", threads))
		}
		for i := 2; i+1 < len(words); i += 2 {
			if v, err := strconv.ParseFloat(words[i], 64); err == nil {
				r.figures[words[i+1]] = v
			}
		}
		list = append(list, r)
	}
	return list
}
