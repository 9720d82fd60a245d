package main

import (
	"bufio"
	"context"
	_ "embed"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
)

//go:embed resnet18_step.py
var script []byte

// findPython returns an interpreter that has PyTorch: the wanted one, or else
// the first of the usual ones; "" if there is none.
func findPython(ctx context.Context, want string) string {
	usual := []string{"python3", "/usr/bin/python3"}
	if want != "" {
		usual = []string{want}
	}
	for _, p := range usual {
		if exec.CommandContext(ctx, p, "-c", "import torch").Run() == nil {
			return p
		}
	}
	return ""
}

// torch is a process that runs steps in PyTorch.
type torch struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Scanner
	version string
}

// startTorch starts the process for one batch size; dir is for the script.
func startTorch(ctx context.Context, python, dir string, batch, threads int) (*torch, error) {
	file := filepath.Join(dir, "resnet18_step.py")
	if err := os.WriteFile(file, script, 0o644); err != nil {
		return nil, err
	}
	t := &torch{cmd: exec.CommandContext(ctx, python, file, "--batch", strconv.Itoa(batch), "--threads", strconv.Itoa(threads))}
	t.cmd.Stderr = os.Stderr
	var err error
	if t.in, err = t.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := t.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	t.out = bufio.NewScanner(out)
	if err := t.cmd.Start(); err != nil {
		return nil, err
	}
	t.version, err = t.line()
	return t, err
}

func (t *torch) line() (string, error) {
	if !t.out.Scan() {
		return "", fmt.Errorf("PyTorch ended without an answer: %v", t.cmd.Wait())
	}
	return t.out.Text(), nil
}

// time runs steps of a kind for about the given seconds and returns the median
// ms per image.
func (t *torch) time(what string, seconds float64) (float64, error) {
	if _, err := fmt.Fprintln(t.in, what, seconds); err != nil {
		return 0, err
	}
	text, err := t.line()
	if err != nil {
		return 0, err
	}
	return strconv.ParseFloat(text, 64)
}

// end ends the process and returns its peak of resident memory.
func (t *torch) end() (int64, error) {
	t.in.Close()
	err := t.cmd.Wait()
	return peakMemory(t.cmd.ProcessState), err
}
