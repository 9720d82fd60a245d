package main

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"hinge/data/mnist"
	"hinge/train/exit/exittest"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"train": main})
}

// TestScripts runs the command as a user does. The build caches stay visible:
// the images lie in the module cache.
func TestScripts(t *testing.T) {
	home, err := os.UserHomeDir()
	require.NoError(t, err)
	images := unpacked(t)
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Setup: func(e *testscript.Env) error {
			e.Setenv("HOME", home)
			e.Setenv("HINGE_DATA", images)
			for _, key := range []string{"GOMODCACHE", "GOPATH", "GOPROXY", "GOFLAGS"} {
				if v, ok := os.LookupEnv(key); ok {
					e.Setenv(key, v)
				}
			}
			return drawDigits(filepath.Join(e.WorkDir, "digits"))
		},
		Cmds: exittest.Commands("train", exittest.OneLine),
	})
}

// unpacked is a folder with the files of MNIST as gzip without compression, which the many
// processes of the scripts read in a fraction of the time.
func unpacked(t *testing.T) string {
	t.Helper()
	set, err := mnist.Load("")
	require.NoError(t, err)
	names, err := filepath.Glob(filepath.Join(set.Source, "*-ubyte.gz"))
	require.NoError(t, err)
	dir := t.TempDir()
	for _, name := range names {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		packed, err := gzip.NewReader(bytes.NewReader(data))
		require.NoError(t, err)
		file, err := os.Create(filepath.Join(dir, filepath.Base(name)))
		require.NoError(t, err)
		out, err := gzip.NewWriterLevel(file, gzip.NoCompression)
		require.NoError(t, err)
		_, err = io.Copy(out, packed)
		require.NoError(t, errors.Join(err, out.Close(), file.Close()))
	}
	return dir
}

// drawDigits makes a folder of four digits of MNIST as a person has them: larger,
// black on white, with a margin.
func drawDigits(dir string) error {
	set, err := mnist.Load("")
	if err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	const zoom, margin = 4, 30
	for k := range 4 {
		raw := set.Test.Raw(k)
		img := image.NewGray(image.Rect(0, 0, zoom*mnist.Side+2*margin, zoom*mnist.Side+margin))
		for i := range img.Pix {
			img.Pix[i] = 255
		}
		for y := range zoom * mnist.Side {
			for x := range zoom * mnist.Side {
				img.SetGray(margin+x, y, color.Gray{Y: 255 - raw[y/zoom*mnist.Side+x/zoom]})
			}
		}
		f, err := os.Create(filepath.Join(dir, fmt.Sprintf("%d.png", k)))
		if err != nil {
			return err
		}
		if err := png.Encode(f, img); err != nil {
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
	return nil
}
