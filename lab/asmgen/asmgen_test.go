package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// The checked-in assembly and its declarations are what the generator writes,
// except for the first line, which names the folder.
func TestCheckedInFilesAreCurrent(t *testing.T) {
	for name := range generators {
		pkg, dir := "kernel", filepath.Join("..", "..", "nn", "kernel")
		switch name {
		case "peak":
			pkg, dir = "peaktest", filepath.Join("..", "..", "nn", "kernel", "internal", "peaktest")
		case "panel", "columns":
			pkg, dir = "sparse", filepath.Join("..", "..", "symbolic", "infer", "internal", "sparse")
		}
		tmp := t.TempDir()
		cmd := exec.Command("go", "run", ".", "-gen", name, "-dir", tmp, "-pkg", pkg)
		if msg, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, msg)
		}
		written, err := filepath.Glob(filepath.Join(tmp, name+"_*"))
		if err != nil || len(written) < 3 {
			t.Fatalf("%s: %v, %v", name, written, err)
		}
		for _, file := range written {
			if there := filepath.Join(dir, filepath.Base(file)); !bytes.Equal(body(t, file), body(t, there)) {
				t.Errorf("%s is not what the generator writes; run go generate in package %s", there, pkg)
			}
		}
	}
}

// body is the content of a file after its first line.
func body(t *testing.T, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := bytes.Cut(text, []byte("\n"))
	return rest
}

// The plan of a strip uses tiles that exist, and costs no more than any way to
// split off one tile first.
func TestSplits(t *testing.T) {
	for _, s := range []isa{avx2, avx512, neon} {
		plan := s.splits()
		cost := func(r int) int { return max(s.sums, r*s.nv) }
		total := make([]int, len(plan))
		for m := 1; m < len(plan); m++ {
			known := false
			for _, r := range s.tiles {
				known = known || r == plan[m]
			}
			if !known || plan[m] > m {
				t.Fatalf("%s: %d rows start with a tile of %d", s.name, m, plan[m])
			}
			total[m] = cost(plan[m]) + total[m-plan[m]]
			for _, r := range s.tiles {
				if r <= m && cost(r)+total[m-r] < total[m] {
					t.Errorf("%s: %d rows cost %d, with a tile of %d first %d", s.name, m, total[m], r, cost(r)+total[m-r])
				}
			}
		}
	}
}
