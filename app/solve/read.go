package solve

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"hinge/symbolic/qp/mps"
	"hinge/train"
)

// inFile is the error of a mistake in a file. It names the file, unless err does.
func inFile(file string, err error) error {
	if !errors.As(err, new(*mps.Error)) && !errors.As(err, new(*os.PathError)) {
		err = fmt.Errorf("%s: %w", file, err)
	}
	return &train.DataError{Err: err}
}

// read reads a file by what its name ends with.
func read(file string) (*mps.Program, error) {
	name := strings.ToLower(file)
	plain, zipped := strings.CutSuffix(name, ".gz")
	var p *mps.Program
	var err error
	switch ext := filepath.Ext(plain); {
	case ext == ".qps" || ext == ".mps":
		p, err = readMPS(file, zipped)
	case ext == ".npz" && !zipped:
		p, err = readNPZ(file)
	default:
		err = errors.New("the name ends with none of .qps, .mps, .qps.gz, .mps.gz, .npz")
	}
	if err != nil {
		return nil, inFile(file, err)
	}
	return p, nil
}

func readMPS(file string, zipped bool) (*mps.Program, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in := io.Reader(bufio.NewReader(f))
	if zipped {
		if in, err = gzip.NewReader(in); err != nil {
			return nil, err
		}
	}
	return mps.Read(in, file)
}
