// Package source reports whether two commits have the same code for a package: it digests
// what a program of that package is built from.
//
//	d, err := source.Digest(ctx, ".", "77b0d822de97", "tasks/mnistadd")
//
// The digest is of the package and all that it imports: Go and assembly files and embedded
// ones, and of other modules the versions. Comments, white space and tests do not count,
// nor does what the package does not import. It is that of linux/amd64, whatever the
// program runs on.
//
// The commit is read by git from a clone and listed by the go command; files lie in a
// temporary folder meanwhile. Nothing is kept, and calls may run at once.
package source

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"go/scanner"
	"go/token"
	"hash"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Digest is that of a package, by its folder in the module, at a commit of the clone
// that dir lies in; empty where the commit has no such package.
func Digest(ctx context.Context, dir, commit, pkg string) (string, error) {
	tree, err := os.MkdirTemp("", "source")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(tree)
	root, err := output(ctx, dir, "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return "", err
	}
	archive, err := output(ctx, string(bytes.TrimSpace(root)), "git", "archive", "--format=tar", commit)
	if err != nil {
		return "", err
	}
	if err := unpack(archive, tree); err != nil {
		return "", fmt.Errorf("commit %s: %w", commit, err)
	}
	if pkg = folder(tree, pkg); pkg == "" {
		return "", nil
	}
	list, err := output(ctx, filepath.Join(tree, pkg), "go", "list", "-deps", "-json=ImportPath,Dir,Standard,Module,GoFiles,SFiles,HFiles,EmbedFiles", ".")
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	if err := packages(sum, list); err != nil {
		return "", fmt.Errorf("commit %s: %w", commit, err)
	}
	return hex.EncodeToString(sum.Sum(nil)[:8]), nil
}

// folder is where a package lies in a tree, empty where it does not: tasks were once
// below train, and the laboratory was called reproduce.
func folder(tree, pkg string) string {
	for _, p := range []string{pkg, strings.Replace(pkg, "tasks/", "train/", 1), strings.Replace(pkg, "lab/", "reproduce/", 1)} {
		if _, err := os.Stat(filepath.Join(tree, filepath.FromSlash(p))); err == nil {
			return p
		}
	}
	return ""
}

// output is what a command prints; its error has what it says of it.
func output(ctx context.Context, dir, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=")
	text, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		line, _, _ := strings.Cut(strings.TrimSpace(string(exit.Stderr)), "\n")
		err = fmt.Errorf("%s: %s", err, line)
	}
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", name, args[0], err)
	}
	return text, nil
}

// unpack writes the files of an archive below a folder.
func unpack(archive []byte, folder string) error {
	for in := tar.NewReader(bytes.NewReader(archive)); ; {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		if !filepath.IsLocal(h.Name) {
			return fmt.Errorf("%s is not below the module", h.Name)
		}
		path := filepath.Join(folder, filepath.FromSlash(h.Name))
		text, err := io.ReadAll(in)
		if err == nil {
			err = os.MkdirAll(filepath.Dir(path), 0o700)
		}
		if err == nil {
			err = os.WriteFile(path, text, 0o600)
		}
		if err != nil {
			return err
		}
	}
}

// listed is what the go command tells of a package.
type listed struct {
	ImportPath, Dir string
	Standard        bool
	Module          struct {
		Main          bool
		Path, Version string
		Replace       *struct{ Version string }
	}
	GoFiles, SFiles, HFiles, EmbedFiles []string
}

// packages digests a list of packages: those of the module, and of one that a folder of the
// clone replaces, by their files, others by their module's version. The standard library is that of the Go release, which a record names.
func packages(to hash.Hash, list []byte) error {
	for in := json.NewDecoder(bytes.NewReader(list)); ; {
		var p listed
		err := in.Decode(&p)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case p.Standard:
			continue
		case !p.Module.Main && (p.Module.Replace == nil || p.Module.Replace.Version != ""):
			fmt.Fprintf(to, "%s %s@%s\n", p.ImportPath, p.Module.Path, p.Module.Version)
			continue
		}
		for _, name := range slices.Sorted(slices.Values(slices.Concat(p.GoFiles, p.SFiles, p.HFiles, p.EmbedFiles))) {
			text, err := os.ReadFile(filepath.Join(p.Dir, name))
			if err != nil {
				return err
			}
			if strings.HasSuffix(name, ".go") {
				text = code(text)
			}
			fmt.Fprintf(to, "%s %s %d\n", p.ImportPath, name, len(text))
			to.Write(text)
		}
	}
}

// code is a Go file without its comments, except for the directives among them, and with
// white space that does not depend on how it is set.
func code(text []byte) []byte {
	var s scanner.Scanner
	set := token.NewFileSet()
	s.Init(set.AddFile("", set.Base(), len(text)), text, nil, scanner.ScanComments)
	var out bytes.Buffer
	for {
		_, tok, literal := s.Scan()
		switch {
		case tok == token.EOF:
			return out.Bytes()
		case tok == token.SEMICOLON:
			literal = ";" // also where it is the end of a line
		case tok == token.COMMENT && !strings.HasPrefix(literal, "//go:"):
			continue
		case literal == "":
			literal = tok.String()
		}
		out.WriteString(literal)
		out.WriteByte('\n')
	}
}
