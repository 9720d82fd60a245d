// Command wheel builds the Python wheel hinge-nesy: the package app/python/hinge with the
// static programs infer, rules, runs, serve and train inside, which pip installs without a network
// and without a compiler.
//
//	go run ./lab/release/wheel -out bin
//	python3 -m pip install --no-index bin/hinge_nesy-*.whl
//
// -goos and -goarch build for another system and processor, and -programs takes programs that
// are built already. The same sources and the same Go give the same bytes. Exit codes: 0 done, 1 not.
package main

import (
	"archive/zip"
	"bytes"
	"cmp"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/base64"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"
)

// platforms are the tags of the systems that pip knows, by GOOS/GOARCH. A static program
// needs no C library, so one wheel is for Linux with either of the two. Programs of Go 1.26
// ask for macOS 12.
var platforms = map[string]string{
	"linux/amd64": "manylinux2014_x86_64.musllinux_1_1_x86_64",
	"linux/arm64": "manylinux2014_aarch64.musllinux_1_1_aarch64",

	"darwin/amd64": "macosx_12_0_x86_64",
	"darwin/arm64": "macosx_12_0_arm64",

	"windows/amd64": "win_amd64",
	"windows/arm64": "win_arm64",
}

// programs are the commands inside.
var programs = []string{"infer", "rules", "runs", "serve", "train"}

func main() {
	out := flag.String("out", "bin", "`folder` for the wheel")
	goos := flag.String("goos", runtime.GOOS, "build for this `system`")
	goarch := flag.String("goarch", runtime.GOARCH, "build for this `processor`")
	programs := flag.String("programs", "", "take the programs in this `folder`, else build them")
	flag.Parse()
	name, err := run(".", *out, *goos+"/"+*goarch, *programs)
	if err != nil {
		fmt.Fprintln(os.Stderr, "wheel:", err)
		os.Exit(1)
	}
	fmt.Println(name)
}

// run writes the wheel, of the programs in the folder bin or else of those that it builds from
// the root of the repository.
func run(root, out, system, bin string) (string, error) {
	if platforms[system] == "" {
		return "", fmt.Errorf("no wheels for %s; there are some for %s", system, strings.Join(slices.Sorted(maps.Keys(platforms)), ", "))
	}
	if bin == "" {
		dir, err := os.MkdirTemp("", "wheel")
		if err != nil {
			return "", err
		}
		defer os.RemoveAll(dir)
		if err := build(root, dir, system); err != nil {
			return "", err
		}
		bin = dir
	}
	files, version, err := collect(root, bin)
	if err != nil {
		return "", err
	}
	for name, data := range files {
		if err := builtFor(system, name, data); err != nil {
			return "", err
		}
	}
	if err := os.MkdirAll(out, 0o777); err != nil {
		return "", err
	}
	name := filepath.Join(out, fmt.Sprintf("hinge_nesy-%s-py3-none-%s.whl", version, platforms[system]))
	data, err := pack(files, version, platforms[system])
	if err != nil {
		return "", err
	}
	return name, os.WriteFile(name, data, 0o666)
}

func build(root, dir, system string) error {
	goos, goarch, _ := strings.Cut(system, "/")
	args := []string{"build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", dir + string(filepath.Separator)}
	for _, p := range programs {
		args = append(args, "./cmd/"+p)
	}
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Stderr = root, os.Stderr
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+goos, "GOARCH="+goarch)
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("go build: %w", err)
	}
	return nil
}

// builtFor reports a program of a wheel that was built for another system and processor than the
// wheel's tag names.
func builtFor(system, name string, data []byte) error {
	if path.Dir(name) != "hinge/bin" {
		return nil
	}
	info, err := buildinfo.Read(bytes.NewReader(data))
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	set := map[string]string{}
	for _, s := range info.Settings {
		set[s.Key] = s.Value
	}
	if of := set["GOOS"] + "/" + set["GOARCH"]; of != system {
		return fmt.Errorf("%s is a program for %s, the wheel is for %s", name, of, system)
	}
	return nil
}

var versionLine = regexp.MustCompile(`(?m)^__version__ = '([0-9.]+)'$`)

// collect reads what goes into the wheel, by its name there.
func collect(root, bin string) (files map[string][]byte, version string, err error) {
	files = map[string][]byte{}
	add := func(name, file string) {
		data, e := os.ReadFile(file)
		files[name], err = data, cmp.Or(err, e)
	}
	sources, _ := filepath.Glob(filepath.Join(root, "app", "python", "hinge", "*.py"))
	for _, file := range sources {
		add("hinge/"+filepath.Base(file), file)
	}
	for _, p := range programs {
		built, _ := filepath.Glob(filepath.Join(bin, p+"*")) // p.exe for Windows
		if len(built) != 1 {
			return nil, "", fmt.Errorf("%s: there are %d programs %s, want one", bin, len(built), p)
		}
		add("hinge/bin/"+filepath.Base(built[0]), built[0])
	}
	m := versionLine.FindSubmatch(files["hinge/__init__.py"])
	if m == nil {
		return nil, "", cmp.Or(err, fmt.Errorf("%s: no package hinge with a __version__", root))
	}
	version = string(m[1])
	for _, name := range []string{"LICENSE", "NOTICE"} {
		add(infoFolder(version)+name, filepath.Join(root, name))
	}
	return files, version, err
}

func infoFolder(version string) string { return "hinge_nesy-" + version + ".dist-info/" }

// metadata describes the wheel, as pip and the package index read it.
const metadata = `Metadata-Version: 2.1
Name: hinge-nesy
Version: %s
Summary: Neural networks that learn through logic: hinge-loss Markov random fields, their inference and their gradients
License: Apache-2.0
Requires-Python: >=3.8
Provides-Extra: frames
Requires-Dist: pandas; extra == 'frames'
Provides-Extra: torch
Requires-Dist: numpy; extra == 'torch'
Requires-Dist: torch; extra == 'torch'
`

// pack writes the archive: sorted, without times, with the list of hashes that pip checks.
func pack(files map[string][]byte, version, platform string) ([]byte, error) {
	info := infoFolder(version)
	files = maps.Clone(files)
	files[info+"METADATA"] = fmt.Appendf(nil, metadata, version)
	tags := ""
	for tag := range strings.SplitSeq(platform, ".") {
		tags += "Tag: py3-none-" + tag + "\n"
	}
	files[info+"WHEEL"] = []byte("Wheel-Version: 1.0\nGenerator: hinge\nRoot-Is-Purelib: false\n" + tags)
	names := slices.Sorted(maps.Keys(files))
	var record strings.Builder
	for _, name := range names {
		sum := sha256.Sum256(files[name])
		fmt.Fprintf(&record, "%s,sha256=%s,%d\n", name, base64.RawURLEncoding.EncodeToString(sum[:]), len(files[name]))
	}
	fmt.Fprintf(&record, "%sRECORD,,\n", info)
	files[info+"RECORD"] = []byte(record.String())
	var archive bytes.Buffer
	w := zip.NewWriter(&archive)
	for _, name := range append(names, info+"RECORD") {
		h := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)}
		mode := fs.FileMode(0o644)
		if path.Dir(name) == "hinge/bin" {
			mode = 0o755
		}
		h.SetMode(mode)
		f, err := w.CreateHeader(h)
		if err != nil {
			return nil, err
		}
		if _, err := f.Write(files[name]); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return archive.Bytes(), nil
}
