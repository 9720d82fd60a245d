// Package collective joins the processes of one job, its ranks, which run one program on
// several cores or machines and exchange arrays.
//
// A Comm is the group: Rank and Size, and collectives, which every rank has to call, in
// one order and with arguments that fit. What is made of them is here, once for all
// transports:
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
// entry by entry, whatever the transport does: each rank receives its R-th part of the
// entries from all others, adds them in the order of the ranks, and gathers the parts
// of the others. That moves 2·n·(R−1)/R numbers in and as many out of every rank, as
// little as an allreduce can. All ranks get the same bits, those that one process gets
// that adds the same numbers in the same order.
//
// Parts deals the items of a problem, such as training examples, to parts and the parts
// to ranks, so that the result depends on the number of parts and not on the number of ranks.
//
// # Groups
//
// World is the group that the process was started in. A process of its own is a group
// of one rank, without any library. Started by mpirun or a like launcher, it is one of
// an MPI job if the program has package hinge/cluster/mpi, which opens the MPI library at
// run time:
//
//	c, err := collective.World("")
//	if err != nil { … } // a StartError: one line, exit code 2
//	defer c.Close()
//	sum := []float64{float64(c.Rank())}
//	err = collective.Sum(c, sum)
//
// Local makes a group of goroutines in one process, and Nest one of several in every
// process of a group, for parts of a problem that have to wait for each other wherever
// they are.
//
// # What can fail
//
// World returns a *StartError where there is no library, a wrong one, or none in the
// program. A collective returns an error where a transport does, and ErrAborted on a
// local group after Abort. Where a rank of an MPI job dies, the launcher ends all
// others; a rank that cannot go on must call Abort, or the others wait for it forever.
// Slices are sent as they lie in memory: all ranks have one byte order.
//
// A Comm is used by one goroutine at a time.
package collective
