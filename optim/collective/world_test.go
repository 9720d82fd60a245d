package collective

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestLaunched(t *testing.T) {
	for _, c := range []struct {
		env  map[string]string
		want Launch
	}{
		{nil, Launch{}},
		{map[string]string{"SLURM_NTASKS": "4"}, Launch{}}, // many runs, no MPI
		{map[string]string{"OMPI_COMM_WORLD_SIZE": "4", "OMPI_COMM_WORLD_RANK": "3", "PMIX_RANK": "3"}, Launch{3, 4, 0, 0, "openmpi"}},
		{map[string]string{"PMI_SIZE": "4", "PMI_RANK": "3", "MPI_LOCALRANKID": "1", "MPI_LOCALNRANKS": "2"}, Launch{3, 4, 1, 2, "mpich"}},
		{map[string]string{"PMIX_RANK": "5", "SLURM_STEP_NUM_TASKS": "8"}, Launch{5, 8, 0, 0, "pmix"}},
		{map[string]string{"PMIX_RANK": "1"}, Launch{1, 2, 0, 0, "pmix"}},
	} {
		if got := launched(func(name string) string { return c.env[name] }); got != c.want {
			t.Errorf("%v: %+v, want %+v", c.env, got, c.want)
		}
	}
}

// TestShare: ranks of one machine divide its processors, unless each is bound to some.
func TestShare(t *testing.T) {
	for _, c := range []struct {
		ranks, usable int
		online        string
		want          int
	}{
		{2, 8, "0-7\n", 4}, {3, 8, "0-7\n", 2}, {9, 8, "0-7\n", 1}, {2, 5, "0-3,8\n", 2}, {2, 1, "0\n", 1},
		{1, 8, "0-7\n", 0}, {0, 8, "0-7\n", 0}, {2, 4, "0-7\n", 0}, {2, 8, "", 0}, {2, 8, "0-x", 0},
	} {
		assert.Equalf(t, c.want, share(c.ranks, c.usable, c.online), "%+v", c)
	}
}

// TestWorld: a process of its own is a group of one; one of several in a program without
// MPI is told so.
func TestWorld(t *testing.T) {
	for _, name := range []string{"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"} {
		t.Setenv(name, "")
	}
	if c, err := World(""); err != nil || c.Rank() != 0 || c.Size() != 1 {
		t.Errorf("alone: %v, %v", c, err)
	}
	t.Setenv("PMI_SIZE", "2")
	_, err := World("")
	if e := (*StartError)(nil); !errors.As(err, &e) {
		t.Errorf("without MPI: %v", err)
	}
	defer func() { open = nil }()
	Register(func(library string, l Launch) (Comm, error) {
		if library != "libmine.so" || l.Size != 2 {
			t.Errorf("asked for %q, launch %+v", library, l)
		}
		return Local(2)[1], nil
	})
	if c, err := World("libmine.so"); err != nil || c.Rank() != 1 {
		t.Errorf("registered: %v, %v", c, err)
	}
}
