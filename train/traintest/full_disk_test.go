package traintest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/train"
)

// fill fills a file system with a file.
func fill(file string) {
	w, err := os.Create(file)
	if err != nil {
		return
	}
	defer w.Close()
	for size := 1 << 16; size > 0; size /= 2 {
		for err = nil; err == nil; {
			_, err = w.Write(make([]byte, size))
		}
	}
}

// fullDisk trains in dir until its disk is full, makes room, goes on to the
// end, and copies the folder out.
func fullDisk(dir, out string) error {
	c := Config(os.Getenv(lossEnv), killSteps)
	run := filepath.Join(dir, "run")
	for sitting, o := range []train.Options{
		{Dir: run, Observer: Observer{OnStep: func(step int) {
			if step == 60 {
				fill(filepath.Join(dir, "ballast"))
			}
		}}},
		{Dir: run, Resume: true},
	} {
		m, err := New(c)
		if err != nil {
			return err
		}
		_, err = train.Run(context.Background(), c, m, o)
		if sitting == 1 {
			if err != nil {
				return err
			}
			return os.CopyFS(out, os.DirFS(run))
		}
		if !errors.Is(err, syscall.ENOSPC) {
			return fmt.Errorf("on a full disk the run returned: %v", err)
		}
		if err := os.Remove(filepath.Join(dir, "ballast")); err != nil {
			return err
		}
	}
	return nil
}

// TestFullDisk runs out of space in the middle of a run: that is an error, no
// checkpoint is lost, and with room again the run goes on to the same bits.
func TestFullDisk(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs a file system of its own, which is made with Linux's tools")
	}
	mount := t.TempDir()
	small := func(command string) *exec.Cmd {
		return exec.Command("unshare", "-rm", "sh", "-c", "mount -t tmpfs -o size=2m none '"+mount+"' && exec "+command)
	}
	if err := small("true").Run(); err != nil {
		t.Skip("needs a file system of its own, and thus user namespaces or root:", err)
	}
	const loss = "bce"
	whole := filepath.Join(t.TempDir(), "whole")
	require.NoError(t, command(loss, whole).Run())
	out := filepath.Join(t.TempDir(), "out")
	cmd := small(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+mount, lossEnv+"="+loss, fullEnv+"="+out)
	cmd.Stderr = os.Stderr
	require.NoError(t, cmd.Run())
	if got, want := outcome(t, out, killSteps), outcome(t, whole, killSteps); !reflect.DeepEqual(got, want) {
		t.Errorf("the run ended elsewhere: %s", difference(got, want))
	}
}
