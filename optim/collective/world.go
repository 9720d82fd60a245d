package collective

import (
	"os"
	"runtime"
	"strconv"
	"strings"
)

// Launch holds what a process knows about its launcher before it opens a library.
type Launch struct {
	// Rank and Size are the job's; Size is 0 where the process was started alone.
	Rank, Size int
	// LocalRank and LocalSize count the processes of the job on this machine; LocalSize is 0
	// if the launcher does not set it.
	LocalRank, LocalSize int
	// By is the family of the launcher: openmpi, mpich or pmix, "" for none.
	By string
}

// Launched reads the environment variables that launchers set: mpirun of Open MPI and MPICH,
// and launchers such as srun that set the variables of PMI and PMIx.
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
		return Launch{
			number("OMPI_COMM_WORLD_RANK"), number("OMPI_COMM_WORLD_SIZE"),
			number("OMPI_COMM_WORLD_LOCAL_RANK"), number("OMPI_COMM_WORLD_LOCAL_SIZE"), "openmpi",
		}
	case env("PMI_SIZE") != "":
		return Launch{number("PMI_RANK"), number("PMI_SIZE"), number("MPI_LOCALRANKID"), number("MPI_LOCALNRANKS"), "mpich"}
	case env("PMIX_RANK") != "":
		// PMIx tells the size on request only, Slurm also here.
		return Launch{number("PMIX_RANK"), max(number("SLURM_STEP_NUM_TASKS"), 2), number("SLURM_LOCALID"), 0, "pmix"}
	}
	return Launch{}
}

// ShareThreads gives this process its share of the processors where several ranks run on
// one machine and nobody has divided it among them: neither the launcher, by binding each
// to some, nor the user, by GOMAXPROCS. MPICH's mpirun leaves it at that; ranks that all
// take all processors are several times slower.
func ShareThreads() {
	online, err := os.ReadFile("/sys/devices/system/cpu/online")
	if err != nil || os.Getenv("GOMAXPROCS") != "" {
		return
	}
	if n := share(Launched().LocalSize, runtime.NumCPU(), string(online)); n > 0 {
		runtime.GOMAXPROCS(n)
	}
}

// share returns the number of processors that this process may use out of the usable ones, or
// 0 if no division is needed: it is alone, or already bound to some of the online ones.
func share(ranks, usable int, online string) int {
	if ranks < 2 || usable != processors(online) {
		return 0
	}
	return max(1, usable/ranks)
}

// processors counts the processors in a list such as 0-3,8; it returns 0 for any other text.
func processors(list string) int {
	n := 0
	for part := range strings.SplitSeq(strings.TrimSpace(list), ",") {
		first, last, several := strings.Cut(part, "-")
		lo, err := strconv.Atoi(first)
		hi := lo
		if several && err == nil {
			hi, err = strconv.Atoi(last)
		}
		if err != nil {
			return 0
		}
		n += hi - lo + 1
	}
	return n
}

// open opens the MPI library. It is nil if the program contains none.
var open func(library string, l Launch) (Comm, error)

// Register gives World the way to an MPI library. Package hinge/cluster/mpi calls it.
func Register(f func(library string, l Launch) (Comm, error)) { open = f }

// World returns the group that the process was started in: an MPI job's, or a group of one
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
