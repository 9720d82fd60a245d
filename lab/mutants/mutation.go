package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// mutation is a fault: a text of a file that is replaced by another, and the tests that
// have to notice it.
type mutation struct {
	// Name says what is wrong with the code then.
	Name string `toml:"name"`
	// File is a path from the root of the module, with slashes. Old occurs there exactly
	// once and is replaced by New.
	File string `toml:"file"`
	Old  string `toml:"old"`
	New  string `toml:"new"`
	// Package is the folder of the tests, that of File if it is empty, and Run the
	// pattern of their names for go test.
	Package string `toml:"package"`
	Run     string `toml:"run"`

	tests *regexp.Regexp // Run
	// A mutation that was drawn stands at an offset of the file, and Old need not be there once.
	// Tests that hang, and a program that ends, notice it.
	drawn bool
	at    int
}

// parse reads a list of mutations and refuses one that cannot be meant so.
func parse(text []byte) ([]*mutation, error) {
	var file struct {
		Mutation []*mutation `toml:"mutation"`
	}
	if err := toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields().Decode(&file); err != nil {
		return nil, fmt.Errorf("mutations.toml: %w", err)
	}
	seen := map[string]bool{}
	for n, m := range file.Mutation {
		err := m.complete()
		if err == nil && seen[m.Name] {
			err = errors.New("another one has the same name")
		}
		if err != nil {
			return nil, fmt.Errorf("mutations.toml: mutation %d (%s): %w", n+1, m.Name, err)
		}
		seen[m.Name] = true
	}
	return file.Mutation, nil
}

// complete fills in what follows from the rest.
func (m *mutation) complete() (err error) {
	if m.Name == "" || m.File == "" || m.Old == "" || m.Run == "" {
		return errors.New("name, file, old and run are needed")
	}
	if m.Old == m.New {
		return errors.New("old and new are the same")
	}
	if strings.Contains(m.Run, "/") {
		return errors.New("run names whole tests, without a /")
	}
	if m.Package == "" {
		m.Package = path.Dir(m.File)
	}
	m.tests, err = regexp.Compile(m.Run)
	return err
}

// apply returns the file with the fault.
func (m *mutation) apply(root string) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(m.File)))
	if err != nil {
		return nil, err
	}
	if m.drawn {
		if !bytes.HasPrefix(text[min(m.at, len(text)):], []byte(m.Old)) {
			return nil, fmt.Errorf("%q is not at offset %d of %s", m.Old, m.at, m.File)
		}
		return slices.Concat(text[:m.at], []byte(m.New), text[m.at+len(m.Old):]), nil
	}
	if n := bytes.Count(text, []byte(m.Old)); n != 1 {
		return nil, fmt.Errorf("old is in %s %d times, want once: write the fault for the code of today", m.File, n)
	}
	return bytes.Replace(text, []byte(m.Old), []byte(m.New), 1), nil
}
