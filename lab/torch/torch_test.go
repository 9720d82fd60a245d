package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const benchmarks = `goos: linux
cpu: some processor
BenchmarkTrainStep/batch=64-2         	      33	  72286736 ns/op	         0.9001 median-ms/image	         1.129 ms/image	   49937 B/op	    1127 allocs/op
BenchmarkGEMM/64x64x64/NN-2 	 100	 12 ns/op	 85.82 %peak	 89.00 GFLOP/s
PASS
`

func TestParse(t *testing.T) {
	list := parse([]byte(benchmarks), 2)
	if len(list) != 2 || list[0].name != "TrainStep/batch=64" || list[1].name != "GEMM/64x64x64/NN" {
		t.Fatalf("got %+v", list)
	}
	for unit, want := range map[string]float64{"median-ms/image": 0.9001, "ms/image": 1.129, "B/op": 49937} {
		assert.Equalf(t, want, list[0].figures[unit], "%s", unit)
	}
	assert.Equal(t, "TrainStep/batch=64-2", parse([]byte(benchmarks), 1)[0].name)
}

func TestWithoutTorch(t *testing.T) {
	var log bytes.Buffer
	require.NoError(t, run(context.Background(), []string{"-python", "/no/such/python"}, &log))
	assert.Contains(t, log.String(), "apt-get install -y python3-torch")
}

func TestBadFlags(t *testing.T) {
	for _, args := range [][]string{{"-alternations", "0"}, {"-seconds", "0"}, {"-seconds", "NaN"}, {"more"}} {
		assert.Errorf(t, run(context.Background(), args, &bytes.Buffer{}), "%v was accepted", args)
	}
}

// A stand-in for Python speaks the protocol of the script.
func TestTorchProcess(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	dir := t.TempDir()
	fake := filepath.Join(dir, "python")
	text := "#!/bin/sh\necho 1.2.3\nwhile read what seconds; do case $what in train) echo $seconds;; forward) exit 1;; esac; done\n"
	require.NoError(t, os.WriteFile(fake, []byte(text), 0o755))
	p, err := startTorch(context.Background(), fake, dir, 64, 2)
	require.NoError(t, err)
	assert.Equal(t, "1.2.3", p.version, "version")
	if ms, err := p.time("train", 0.25); err != nil || ms != 0.25 {
		t.Errorf("got %v, %v", ms, err)
	}
	if _, err := p.time("forward", 1); err == nil {
		t.Error("no error from a process that ended")
	}
}

func TestReport(t *testing.T) {
	r := &report{
		options: options{alternations: 3, seconds: 1}, command: "cmd", path: "avx2", torch: "1.13",
		date: time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC), theirMemory: 3e9,
		load: "0.31", ours: map[string][]float64{}, heap: map[int]float64{}, memory: map[int]int64{},
		pairs: []pairing{{kinds[0], 64, 2, []float64{1, 9, 2}, []float64{8, 8, 1}}},
	}
	for _, b := range batches {
		r.heap[b], r.memory[b] = 50_000, 9e8
		for _, k := range kinds {
			r.ours[key(k, b, 1)], r.ours[key(k, b, 2)] = []float64{9, 1.5, 1}, []float64{0.75}
		}
	}
	for range threads {
		list := []result{{"GEMM/64x64x64/NN", map[string]float64{"GFLOP/s": 89, "%peak": 85.8}}}
		r.gemms, r.convs = append(r.gemms, list), append(r.convs, list)
	}
	var text strings.Builder
	r.write(&text)
	for _, want := range []string{
		"Written by `cmd`", "before the run: 0.31", "medians of 2 rounds", "2026-01-02", "PyTorch 1.13", "AVX-512 kernels were not measured",
		"| train | 64 | 2 | 8.000 | 2.000 | 0.25 |",
		"| 1024 | 1.500 | 0.750 | 2.00 | 1.500 | 0.750 | 2.00 | 50 | 900 |",
		"| 64x64x64/NN | 89.0 | 86 % | 89.0 | 86 % |", "3000 MB",
	} {
		assert.Contains(t, text.String(), want)
	}
	assert.InDelta(t, 0.25, r.pairs[0].ratio(), 1e-15)
}
