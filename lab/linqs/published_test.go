package linqs

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// debate are the files of a part in the published layout: two authors who reply to each
// other, and one who replies to nobody.
func debate() map[string]string {
	return map[string]string{
		"isProAuth_targets.txt": "ann\tabortion\nbob\tabortion\neve\tabortion\n", "isProAuth_truth.txt": "ann\tabortion\t1\nbob\tabortion\t0\neve\tabortion\t0\n",
		"disagrees_targets.txt": "ann\tbob\n", "disagrees_truth.txt": "ann\tbob\t1\n",
		"localPro_obs.txt": "ann\tabortion\t0.75\nbob\tabortion\t0.5\neve\tabortion\t0.25\n", "localDisagrees_obs.txt": "ann\tbob\t0.9\n",
		"responds_obs.txt.gz": "ann\tbob\n", "participates_obs.txt": "ann\tabortion\nbob\tabortion\neve\tabortion\n",
	}
}

// putDebate writes both parts of split 1 into a folder, with the given changes.
func putDebate(t *testing.T, changes map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for _, part := range []string{"learn", "eval"} {
		files := debate()
		for name, text := range changes {
			if files[name] = text; text == "" {
				delete(files, name)
			}
		}
		put(t, filepath.Join(dir, "1", part, "abortion"), files)
	}
	return dir
}

func TestPublished(t *testing.T) {
	db, err := FourForums().Load(putDebate(t, nil), 1, "eval")
	require.NoError(t, err)
	var counts []string
	for _, p := range db.Predicates() {
		counts = append(counts, fmt.Sprint(p.Name, p.Observations, p.Targets, p.Truths))
	}
	want := []string{"IsProAuth0 3 3", "Disagrees0 1 1", "LocalPro3 0 0", "LocalDisagrees1 0 0", "Responds1 0 0", "Participates3 0 0"}
	assert.Equal(t, want, counts, "observed, targets, truths")
	if v, ok := db.Observation("LocalPro", "eve", "abortion"); !ok || v != 0.25 {
		t.Errorf("LocalPro(eve, abortion) is %v, %v", v, ok)
	}
	if v, ok := db.Observation("Responds", "ann", "bob"); !ok || v != 1 {
		t.Errorf("Responds(ann, bob), without a value, is %v, %v", v, ok)
	}
	i, ok := db.TargetIndex("IsProAuth", "ann", "abortion")
	if v, known := db.TruthValue(i); !ok || !known || v != 1 {
		t.Errorf("the truth of IsProAuth(ann, abortion) is %v, %v, %v", v, ok, known)
	}
}

func TestPublishedErrors(t *testing.T) {
	for name, test := range map[string]struct{ file, text, want string }{
		"no truth":     {"isProAuth_truth.txt", "", "psl-examples-data/stance-4forums.zip"},
		"targets lack": {"isProAuth_targets.txt", "ann\tabortion\n", "2 atoms of isProAuth_truth.txt, first bob, abortion, are no targets"},
		"truth lacks":  {"disagrees_targets.txt", "ann\tbob\neve\tbob\n", "1 atoms of disagrees_targets.txt have no truth"},
		"no number":    {"localPro_obs.txt", "ann\tabortion\tyes\n", `localPro_obs.txt:1:14: the value "yes" is not a number (if the line is a header, remove it)`},
		"columns":      {"localPro_obs.txt", "ann\tabortion\t1\nbob\tabortion\n", "localPro_obs.txt:2:1: the line has 2 fields"},
		"empty":        {"participates_obs.txt", "\n", "a file of participates is empty"},
		"no targets":   {"disagrees_targets.txt", "\n", "a file of disagrees is empty"},
	} {
		_, err := FourForums().Load(putDebate(t, map[string]string{test.file: test.text}), 1, "learn")
		t.Run(name, func(t *testing.T) { wantError(t, err, test.want) })
	}
	dir := putDebate(t, nil)
	_, err := FourForums().Load(dir, 5, "learn")
	wantError(t, err, "split 5 is not between 0 and 4")
	_, err = FourForums().Load(dir, 1, "test")
	wantError(t, err, `no part "test"; there are learn and eval`)
	if _, err = CreateDebate().Load(dir, 0, "learn"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a split that is not there: %v", err)
	}
}

// Where there are checksums, the files have them.
func TestSums(t *testing.T) {
	dir := putDebate(t, nil)
	var list strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		fmt.Fprintf(&list, "%x  %s\n", sha256.Sum256(data), filepath.ToSlash(name))
		return err
	})
	require.NoError(t, err)
	read := func(sums string) error {
		put(t, dir, map[string]string{sumsName: sums})
		_, err := FourForums().Load(dir, 1, "learn")
		return err
	}
	require.NoError(t, read(list.String()))
	wantError(t, read("xyz  1/learn\n"), "SHA256SUMS:1: want a SHA-256 sum and a path")
	wantError(t, read(strings.ReplaceAll(list.String(), "isProAuth_truth", "other")), "isProAuth_truth.txt is not listed in")
	path := filepath.Join(dir, "1", "learn", "abortion", "responds_obs.txt.gz")
	require.NoError(t, os.WriteFile(path, zip(t, "bob\tann\n"), 0o666))
	wantError(t, read(list.String()), "responds_obs.txt.gz is altered or damaged")
}

// Files are named after predicates as the published ones are.
func TestPublishedNames(t *testing.T) {
	var names []string
	for _, p := range append(Yelp().Predicates, FourForums().Predicates...) {
		names = append(names, p.File)
	}
	for _, want := range []string{"rating", "rated", "sim_content_items_jaccard", "users_are_friends", "avg_user_rating", "bpmf_rating", "localDisagrees", "isProAuth"} {
		if !slices.Contains(names, want) {
			t.Errorf("no predicate has the files %s in %v", want, names)
		}
	}
	assert.Equal(t, 18, len(Yelp().Predicates))
}
