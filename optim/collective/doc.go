// Package collective joins the processes of one job, its ranks, which run one program on
// several cores or machines and exchange arrays.
//
// A Comm is the group. It has a Rank, a Size and collectives: operations that every rank has
// to call, in the same order and with arguments that fit. The functions below are built on
// them and work with every transport:
//
//	collective.Sum(c, x)            x ← Σ_r x_r on every rank, float32 or float64
//	collective.SumParts(c, xs, x)   the same of several parts a rank
//	collective.SumPieces(…)         of arrays that lie in pieces, times a factor
//	collective.Max(c, x)            x ← max_r x_r, entry by entry
//	collective.Broadcast(c, x, 0)   x ← x of rank 0
//	collective.Gather(c, x)         the slices of all ranks, which may differ in length
//	collective.GatherEqual(c, x)    the same, of one length, in one slice and one message
//	collective.Exchange(c, xs)      xs[r] to rank r, what the others sent back
//	collective.Agree(c, err, code)  the first error of any rank on every rank
//	c.Barrier()               waits for all
//	c.Abort(code)             ends all ranks at once
//
// Sums have a fixed order,
//
//	((x_0 + x_1) + x_2) + … + x_{R−1},
//
// entry by entry, whatever the transport does: each rank receives its R-th part of the entries
// from all others, adds them in the order of the ranks, and gathers the parts of the others.
// Every rank sends and receives 2·n·(R−1)/R numbers, the least that an allreduce can do. All
// ranks get the same bits, and one process that adds the same numbers in the same order gets
// these bits too.
//
// Parts assigns the items of a problem, such as training examples, to parts and the parts to
// ranks, so that the result depends on the number of parts and not on the number of ranks.
//
// # Groups
//
// World is the group that the process was started in. A process that was started alone is a
// group of one rank and needs no library. A process that mpirun or a similar launcher started
// joins its MPI job if the program contains package hinge/cluster/mpi, which opens the MPI
// library at run time:
//
//	c, err := collective.World("")
//	if err != nil { … } // a StartError: one line, exit code 2
//	defer c.Close()
//	sum := []float64{float64(c.Rank())}
//	err = collective.Sum(c, sum)
//
// Local makes a group of goroutines in one process. Nest divides every process of a group into
// several ranks, for parts of a problem that wait for each other within a process and between
// processes.
//
// # What can fail
//
// World returns a *StartError if the MPI library is missing or does not fit the launcher, or
// if the program contains none. A collective returns an error if the transport does, and
// ErrAborted on a local group after Abort. When a rank of an MPI job dies, the launcher ends
// all others; a rank that cannot go on must call Abort, or the others wait for it forever.
// Slices are sent as they lie in memory, so all machines must have the same byte order.
//
// A Comm is used by one goroutine at a time.
package collective
