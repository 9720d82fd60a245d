package dist

import (
	"os"
	"strconv"
)

// Launch is what a process can tell of its launcher before it opens a library.
type Launch struct {
	// Rank and Size are those of the job; Size is 0 where the process was started
	// alone, and where the launcher does not say.
	Rank, Size int
	// By is the family of the launcher: openmpi, mpich or pmix, "" for none.
	By string
}

// Launched looks for the variables that launchers set: mpirun of Open MPI and MPICH, and
// srun and the like by way of PMI and PMIx.
func Launched() Launch { return launched(os.Getenv) }

func launched(env func(string) string) Launch {
	number := func(name string) int {
		n, err := strconv.Atoi(env(name))
		if err != nil || n < 0 {
			return 0
		}
		return n
	}
	switch {
	case env("OMPI_COMM_WORLD_SIZE") != "":
		return Launch{number("OMPI_COMM_WORLD_RANK"), number("OMPI_COMM_WORLD_SIZE"), "openmpi"}
	case env("PMI_SIZE") != "":
		return Launch{number("PMI_RANK"), number("PMI_SIZE"), "mpich"}
	case env("PMIX_RANK") != "":
		// PMIx tells the size on request only, Slurm also here.
		return Launch{number("PMIX_RANK"), max(number("SLURM_STEP_NUM_TASKS"), 2), "pmix"}
	}
	return Launch{}
}

// open opens the MPI library; nil where the program has none.
var open func(library string, l Launch) (Comm, error)

// Register gives World the way to an MPI library. Package hinge/dist/mpi calls it.
func Register(f func(library string, l Launch) (Comm, error)) { open = f }

// World returns the group that the process was started in: that of an MPI job, or of one
// rank. library is the file of the MPI library to open, also where the launcher is not
// known; "" looks for the one that fits the launcher. Errors are a *StartError.
func World(library string) (Comm, error) {
	l := Launched()
	switch {
	case library == "" && l.Size <= 1:
		return Local(1)[0], nil
	case open == nil:
		return nil, Failed("this program was built without MPI; build it with -tags mpi to run it as several ranks")
	}
	return open(library, l)
}
