package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/lab/bench"
)

// executable writes a shell script that stands in for a program.
func executable(t *testing.T, text string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	file := filepath.Join(t.TempDir(), "program")
	require.NoError(t, os.WriteFile(file, []byte("#!/bin/sh\n"+text), 0o755))
	return file
}

func TestProgramRun(t *testing.T) {
	p := program{executable(t, `echo "BenchmarkX/$3-$GOMAXPROCS 10 5 ns/op $GOMAXPROCS threads"; echo "Benchmark$2 1 2 ns/op"`)}
	list, peak, err := p.run(context.Background(), "^Some$", "0.5s", 2)
	require.NoError(t, err)
	if len(list) != 2 || list[0].name != "X/-test.benchtime=0.5s" || list[0].figures["threads"] != 2 || list[1].name != "-test.bench=^Some$" {
		t.Errorf("got %+v", list)
	}
	if runtime.GOOS == "linux" && peak < 1<<16 {
		t.Errorf("a process of %d bytes", peak)
	}
}

func TestProgramFails(t *testing.T) {
	for name, text := range map[string]string{"exit": "echo something wrong; exit 3", "nothing": "echo PASS"} {
		_, _, err := program{executable(t, text)}.run(context.Background(), "^Some$", "1s", 1)
		assert.ErrorContainsf(t, err, "Some", "%s", name)
	}
}

// Both sides are measured in turn, as often as asked, and summarised by the
// median.
func TestCompare(t *testing.T) {
	turns := filepath.Join(t.TempDir(), "turns")
	python := executable(t, `echo 9.9
n=4
while read what seconds; do echo "theirs $what" >> `+turns+`; n=$((n+2)); echo $n; done`)
	model := program{executable(t, `echo "ours $2" >> `+turns+`; echo "BenchmarkY 3 1 ns/op 2 median-ms/image"`)}
	r := &report{options: options{alternations: 3, seconds: 1}}
	var log bytes.Buffer
	require.NoError(t, r.compare(context.Background(), model, python, t.TempDir(), 64, 1, &log))
	text, err := os.ReadFile(turns)
	require.NoError(t, err)
	round := []string{
		"theirs train", "ours -test.bench=^BenchmarkTrainStep$/^batch=64$",
		"theirs forward", "ours -test.bench=^BenchmarkForward$/^batch=64$",
	}
	assert.Equal(t, slices.Concat(round, round, round), strings.Split(strings.TrimSpace(string(text)), "\n"), "the turns were")
	if r.torch != "9.9" || len(r.pairs) != 2 {
		t.Fatalf("version %q, %d pairs", r.torch, len(r.pairs))
	}
	// Theirs answer 6, 10, 14 and 8, 12, 16.
	if p := r.pairs[0]; bench.Median(p.theirs) != 10 || bench.Median(p.ours) != 2 || p.ratio() != 0.2 {
		t.Errorf("train: %+v", p)
	}
	if p := r.pairs[1]; bench.Median(p.theirs) != 12 || p.kind.torch != "forward" {
		t.Errorf("forward: %+v", p)
	}
	assert.Contains(t, log.String(), "ratio 0.200")
}

// An alternation that fails ends the comparison.
func TestCompareFails(t *testing.T) {
	python := executable(t, "echo 9.9; while read what seconds; do echo 1; done")
	model := program{executable(t, "exit 1")}
	r := &report{options: options{alternations: 1, seconds: 1}}
	assert.Error(t, r.compare(context.Background(), model, python, t.TempDir(), 64, 1, &bytes.Buffer{}))
	dead := executable(t, "exit 0")
	assert.Error(t, r.compare(context.Background(), model, dead, t.TempDir(), 64, 1, &bytes.Buffer{}), "no error from an interpreter that ends at once")
}
