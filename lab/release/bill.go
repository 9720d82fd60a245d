package main

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/CycloneDX/cyclonedx-go"

	"hinge/train/machine"
)

// module is one that is linked into a program.
type module struct{ path, version, sum string }

// modules reads from the programs of a folder what the linker put into any of them, sorted.
func modules(dir string) ([]module, error) {
	programs, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		return nil, err
	}
	seen := map[module]bool{}
	var all []module
	for _, p := range programs {
		info, err := buildinfo.ReadFile(p)
		if err != nil {
			return nil, err
		}
		for _, d := range info.Deps {
			if d.Replace != nil {
				return nil, fmt.Errorf("%s is replaced by %s: a release is built from published modules", d.Path, d.Replace.Path)
			}
			if m := (module{d.Path, d.Version, d.Sum}); !seen[m] {
				seen[m] = true
				all = append(all, m)
			}
		}
	}
	slices.SortFunc(all, func(a, b module) int { return strings.Compare(a.path, b.path) })
	return all, nil
}

// licences are the texts of Go itself and of all modules, which those who hand programs
// on have to hand on with them.
func licences(linked []module) ([]byte, error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env GOROOT: %w", err)
	}
	var out bytes.Buffer
	if err := licence(&out, "Go "+runtime.Version(), strings.TrimSpace(string(root))); err != nil {
		return nil, err
	}
	for _, m := range linked {
		text, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", m.path).Output()
		if err != nil {
			return nil, fmt.Errorf("go list -m %s: %w", m.path, err)
		}
		if err := licence(&out, m.path+" "+m.version, strings.TrimSpace(string(text))); err != nil {
			return nil, err
		}
	}
	return out.Bytes(), nil
}

// licence appends the texts of a folder under a title.
func licence(out *bytes.Buffer, title, dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	found := false
	for _, e := range entries {
		name := strings.ToUpper(e.Name())
		if e.IsDir() || strings.HasSuffix(name, ".GO") || !slices.ContainsFunc([]string{"LICENSE", "LICENCE", "NOTICE", "COPYING"}, func(p string) bool { return strings.HasPrefix(name, p) }) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return err
		}
		found = true
		fmt.Fprintf(out, "==== %s: %s\n\n%s\n\n", title, e.Name(), bytes.TrimSpace(text))
	}
	if !found {
		// A few modules have none, and say so here rather than not at all.
		fmt.Fprintf(out, "==== %s: the module has no file of a licence; see its source\n\n", title)
	}
	return nil
}

// billOfMaterials lists the programs and the modules in them as CycloneDX does, without a
// serial number and in the time of the commit: the same release has the same bill.
func billOfMaterials(t target, linked []module, programs []file, when time.Time) ([]byte, error) {
	bom := cyclonedx.NewBOM()
	bom.Metadata = &cyclonedx.Metadata{
		Timestamp: when.Format(time.RFC3339),
		Component: &cyclonedx.Component{
			BOMRef: "hinge", Type: cyclonedx.ComponentTypeApplication, Name: "hinge", Version: machine.Release,
			Properties: &[]cyclonedx.Property{{Name: "hinge:target", Value: t.String()}, {Name: "hinge:go", Value: runtime.Version()}},
		},
	}
	var all []cyclonedx.Component
	for _, p := range programs {
		all = append(all, cyclonedx.Component{
			BOMRef: "file:" + p.name, Type: cyclonedx.ComponentTypeFile, Name: p.name, Version: machine.Release,
			Hashes: &[]cyclonedx.Hash{{Algorithm: cyclonedx.HashAlgoSHA256, Value: fmt.Sprintf("%x", sha256.Sum256(p.data))}},
		})
	}
	all = append(all, library(module{"std", strings.TrimPrefix(runtime.Version(), "go"), ""}))
	refs := []string{all[len(all)-1].BOMRef}
	for _, m := range linked {
		all = append(all, library(m))
		refs = append(refs, all[len(all)-1].BOMRef)
	}
	bom.Components = &all
	bom.Dependencies = &[]cyclonedx.Dependency{{Ref: "hinge", Dependencies: &refs}}
	var out bytes.Buffer
	if err := cyclonedx.NewBOMEncoder(&out, cyclonedx.BOMFileFormatJSON).SetPretty(true).Encode(bom); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// library is a module, named as package managers do.
func library(m module) cyclonedx.Component {
	url := "pkg:golang/" + m.path + "@" + strings.ReplaceAll(m.version, "+", "%2B")
	c := cyclonedx.Component{BOMRef: url, Type: cyclonedx.ComponentTypeLibrary, Name: m.path, Version: m.version, PackageURL: url}
	if m.sum != "" {
		c.Properties = &[]cyclonedx.Property{{Name: "go:sum", Value: m.sum}}
	}
	return c
}
