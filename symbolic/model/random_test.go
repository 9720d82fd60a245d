package model

import (
	"fmt"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"hinge/symbolic/ground"
)

// randomPredicate is a predicate with atoms of every section and partition.
type randomPredicate struct {
	name  string
	arity int
	rows  []randomRow
}

type randomRow struct {
	section   int // index into sections
	partition string
	args      []string
	value     float64
	hasValue  bool
	file      bool // in a data file instead of the model
}

// drawModel makes predicates whose atoms do not contradict each other.
func drawModel(t *rapid.T) []randomPredicate {
	constant := rapid.SampledFrom([]string{"a", "b", "10", "9", "-1.5", "true", "null", "é", "x y", "it's", `"q"`, "#", "a:b", "[", "~", "0x1F", "*s", "&t"})
	var predicates []randomPredicate
	for i := range rapid.IntRange(1, 3).Draw(t, "predicates") {
		p := randomPredicate{name: "P" + strconv.Itoa(i), arity: rapid.IntRange(1, 3).Draw(t, "arity")}
		seen := map[string]bool{}
		for range rapid.IntRange(0, 8).Draw(t, "rows") {
			r := randomRow{
				section:   rapid.IntRange(0, 2).Draw(t, "section"),
				partition: rapid.SampledFrom([]string{all, "learn", "validation", "infer"}).Draw(t, "partition"),
				args:      rapid.SliceOfN(constant, p.arity, p.arity).Draw(t, "args"),
				value:     float64(rapid.IntRange(0, 8).Draw(t, "value")) / 8,
				hasValue:  rapid.Bool().Draw(t, "valued"), file: rapid.Bool().Draw(t, "file"),
			}
			truth := strconv.FormatBool(r.section == 2)
			if key := truth + strings.Join(r.args, "\t"); !seen[key] {
				seen[key] = true
				p.rows = append(p.rows, r)
			}
		}
		predicates = append(predicates, p)
	}
	return predicates
}

// render writes the predicates in one of the languages; files gets the data
// files. quote writes a text.
func render(predicates []randomPredicate, quote func(string) string, files map[string]string) string {
	list := func(n int, element func(int) string) string {
		parts := make([]string, n)
		for i := range parts {
			parts[i] = element(i)
		}
		return strings.Join(parts, ", ")
	}
	row := func(r randomRow) string {
		fields := list(len(r.args), func(i int) string { return quote(r.args[i]) })
		if r.hasValue {
			fields += ", " + strconv.FormatFloat(r.value, 'g', -1, 64)
		}
		return "[" + fields + "]"
	}
	return "{" + quote("rules") + ": [" + quote("1: P0("+strings.Trim(strings.Repeat("'c', ", predicates[0].arity), ", ")+") = 1") + "], " +
		quote("predicates") + ": {" + list(len(predicates), func(i int) string {
		p := predicates[i]
		return quote(p.name+"/"+strconv.Itoa(p.arity)) + ": {" + list(len(sections), func(s int) string {
			return quote(sections[s].key) + ": {" + list(4, func(k int) string {
				partition := append([]string{all}, partitions...)[k]
				var elements []string
				for _, r := range p.rows {
					if r.section != s || r.partition != partition {
						continue
					}
					if !r.file {
						elements = append(elements, row(r))
						continue
					}
					name := fmt.Sprintf("%s-%d-%s-%d.txt", p.name, s, partition, len(files))
					line := strings.Join(r.args, "\t")
					if r.hasValue {
						line += "\t" + strconv.FormatFloat(r.value, 'g', -1, 64)
					}
					files[name] = line + "\n"
					elements = append(elements, quote(name))
				}
				return quote(partition) + ": [" + strings.Join(elements, ", ") + "]"
			}) + "}"
		}) + "}"
	}) + "}}"
}

// expected lists what a partition holds.
func expected(predicates []randomPredicate, partition string) string {
	var lines []string
	for _, p := range predicates {
		for _, r := range p.rows {
			if r.partition != all && r.partition != partition {
				continue
			}
			value := 1.0
			if r.hasValue {
				value = r.value
			}
			if r.section == 1 {
				value = 0
			}
			lines = append(lines, fmt.Sprintf("%s%q %s %v", p.name, r.args, sections[r.section].key, value))
		}
	}
	sort.Strings(lines)
	return strings.Join(lines, "\n")
}

// content lists what a model holds. Truth of atoms that are not targets is kept
// for evaluations only and left out on both sides.
func content(m *Model, predicates []randomPredicate) string {
	var lines []string
	for _, p := range predicates {
		for a := range m.Data.Atoms(p.name) {
			key, value := "observations", a.Value
			if a.Kind == ground.Target {
				key, value = "targets", 0
			}
			lines = append(lines, fmt.Sprintf("%s%q %s %v", p.name, a.Args, key, value))
			if a.Kind == ground.Target {
				if v, ok := m.Data.TruthValue(a.Index); ok {
					lines = append(lines, fmt.Sprintf("%s%q truth %v", p.name, a.Args, v))
				}
			}
		}
	}
	sort.Strings(lines)
	return strings.Join(lines, "\n")
}

// Models of any content, in both languages, inline or in files, arrive in the
// database as they were written, for every partition.
func TestRandomModels(t *testing.T) {
	dir := t.TempDir()
	number := 0
	rapid.Check(t, func(t *rapid.T) {
		predicates := drawModel(t)
		for name, quote := range map[string]func(string) string{
			"model.json": strconv.Quote,
			"lax.json":   func(s string) string { return "/* c */ '" + strings.ReplaceAll(s, "'", `\'`) + "' # c\n" },
			"model.yaml": func(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" },
		} {
			number++
			files := map[string]string{}
			sub := strconv.Itoa(number)
			files[name] = render(predicates, quote, files)
			writeFiles(t, filepath.Join(dir, sub), files)
			for _, partition := range partitions {
				m, err := Load(filepath.Join(dir, sub, name), LoadOptions{Partition: Partition(partition)})
				if err != nil {
					t.Fatalf("%v\n%s", err, files[name])
				}
				want := targetTruths(expected(predicates, partition))
				if got := content(m, predicates); got != want {
					t.Fatalf("%s, %s:\n%s\nwant\n%s\nthe model is\n%s", name, partition, got, want, files[name])
				}
			}
		}
	})
}

// targetTruths drops the truth lines of atoms that are not targets.
func targetTruths(lines string) string {
	all := strings.Split(lines, "\n")
	var kept []string
	for _, line := range all {
		atom, _, isTruth := strings.Cut(line, " truth ")
		if !isTruth || slices.Contains(all, atom+" targets 0") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}
