package checkpoint

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// folderName matches the name of a checkpoint's folder: the step, and a
// generation where the same step was saved again.
var folderName = regexp.MustCompile(`^step-([0-9]{8,19})(?:-([0-9]{1,9}))?$`)

// folder is a checkpoint's folder by its name.
type folder struct {
	name       string
	step       int64
	generation int
}

// newFolder names a folder; generation 1 has no suffix.
func newFolder(step int64, generation int) folder {
	f := folder{name: fmt.Sprintf("step-%08d", step), step: step, generation: generation}
	if generation > 1 {
		f.name += "-" + strconv.Itoa(generation)
	}
	return f
}

// parseFolder reads a name that newFolder writes.
func parseFolder(name string) (folder, bool) {
	m := folderName.FindStringSubmatch(name)
	if m == nil {
		return folder{}, false
	}
	step, err := strconv.ParseInt(m[1], 10, 64)
	if err != nil {
		return folder{}, false
	}
	generation := 1
	if m[2] != "" {
		if generation, err = strconv.Atoi(m[2]); err != nil {
			return folder{}, false
		}
	}
	f := newFolder(step, generation)
	return f, f.name == name
}

// isTemp reports whether a name marks an unfinished checkpoint.
func isTemp(name string) bool { return strings.HasPrefix(name, tempPrefix) }

// folders returns the checkpoints' folders, the newest first.
func (s *Store) folders() ([]folder, error) {
	names, err := s.fs.ReadDir(s.dir)
	if err != nil {
		return nil, fmt.Errorf("checkpoint: cannot read the folder %s: %w", s.dir, err)
	}
	var list []folder
	for _, name := range names {
		if f, ok := parseFolder(name); ok {
			list = append(list, f)
		}
	}
	slices.SortFunc(list, func(a, b folder) int {
		return cmp.Or(cmp.Compare(b.step, a.step), cmp.Compare(b.generation, a.generation))
	})
	return list, nil
}
