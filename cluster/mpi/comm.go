//go:build linux && (amd64 || arm64)

package mpi

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"strings"
	"time"
	"unsafe"

	"hinge/optim/collective"
)

func init() { collective.Register(Open) }

// comm is MPI_COMM_WORLD.
type comm struct {
	*library
	rank, size int
	calls      chan func() // for the thread of the library
	done       chan struct{}
}

// Open joins the job that the process was started in: file is the library, "" for the
// one that fits the launcher. Errors are a *collective.StartError.
func Open(file string, l collective.Launch) (collective.Comm, error) {
	lib, err := load(file, l.By)
	if err != nil {
		return nil, err
	}
	c := &comm{library: lib, calls: make(chan func()), done: make(chan struct{})}
	go func() {
		runtime.LockOSThread()
		for f := range c.calls {
			f()
			c.done <- struct{}{}
		}
	}()
	if err := c.start(); err != nil {
		return nil, collective.Failed("%s (%s): %v", lib.file, lib.version, err)
	}
	// PMIx does not give the size before the start; l.Size is then 2, for any number above 1.
	if known := l.By != "pmix"; c.size != l.Size && l.Size > 1 && (known || c.size == 1) {
		return nil, collective.Failed("%d processes were started, but %s (%s) sees %d: it is not the library of the launcher; name that with -mpi", l.Size, lib.file, lib.version, c.size)
	}
	return c, nil
}

// start initialises the library and asks for rank and size.
func (c *comm) start() error {
	var provided, rank, size int32
	err := c.do("MPI_Init_thread", func() int32 { return c.initThread(nil, nil, threadFunneled, &provided) })
	if err == nil && provided < threadFunneled {
		err = fmt.Errorf("it allows programs of a single thread only")
	}
	if err == nil {
		err = c.do("MPI_Comm_set_errhandler", func() int32 { return c.setErrhandler(c.world, c.errorsReturn) })
	}
	if err == nil {
		err = c.do("MPI_Comm_rank", func() int32 { return c.commRank(c.world, &rank) })
	}
	if err == nil {
		err = c.do("MPI_Comm_size", func() int32 { return c.commSize(c.world, &size) })
	}
	c.rank, c.size = int(rank), int(size)
	return err
}

// do makes a call on the thread of the library.
func (c *comm) do(name string, f func() int32) error {
	var code int32
	c.calls <- func() { code = f() }
	<-c.done
	if code == 0 {
		return nil
	}
	text, n := make([]byte, longestText), int32(0)
	c.calls <- func() { c.errorString(code, &text[0], &n) }
	<-c.done
	return fmt.Errorf("mpi: %s: %s", name, strings.TrimSpace(string(text[:min(max(n, 0), longestText)])))
}

// String names the library.
func (c *comm) String() string { return c.version + ", " + c.file }

func (c *comm) Rank() int { return c.rank }
func (c *comm) Size() int { return c.size }

// Barrier implements collective.Comm.
func (c *comm) Barrier() error {
	return c.do("MPI_Barrier", func() int32 { return c.barrier(c.world) })
}

// Broadcast implements collective.Comm.
func (c *comm) Broadcast(buf []byte, root int) error {
	for first := true; first || len(buf) > 0; first = false {
		n := min(len(buf), 1<<30)
		err := c.do("MPI_Bcast", func() int32 {
			return c.bcast(pointer(buf), int32(n), c.byteType, int32(root), c.world)
		})
		if err != nil {
			return err
		}
		buf = buf[n:]
	}
	return nil
}

// AllGather implements collective.Comm.
func (c *comm) AllGather(send, recv []byte, counts []int) error {
	if len(recv) > math.MaxInt32 {
		// MPI counts in 32 bits: one after the other.
		for r, n := range counts {
			if r == c.rank {
				copy(recv[:n], send)
			}
			if err := c.Broadcast(recv[:n], r); err != nil {
				return err
			}
			recv = recv[n:]
		}
		return nil
	}
	n, offsets := layout(counts)
	return c.do("MPI_Allgatherv", func() int32 {
		return c.allgatherv(pointer(send), int32(len(send)), c.byteType, pointer(recv), &n[0], &offsets[0], c.byteType, c.world)
	})
}

// AllToAll implements collective.Comm.
func (c *comm) AllToAll(send []byte, sends []int, recv []byte, recvs []int) error {
	if len(send) > collective.MaxMessage || len(recv) > collective.MaxMessage {
		return fmt.Errorf("mpi: %d bytes to send and %d to receive, want at most %d", len(send), len(recv), collective.MaxMessage)
	}
	out, from := layout(sends)
	in, to := layout(recvs)
	return c.do("MPI_Alltoallv", func() int32 {
		return c.alltoallv(pointer(send), &out[0], &from[0], c.byteType, pointer(recv), &in[0], &to[0], c.byteType, c.world)
	})
}

// layout returns the counts and displacements of consecutive parts.
func layout(counts []int) (n, offsets []int32) {
	n, offsets = make([]int32, len(counts)), make([]int32, len(counts))
	at := 0
	for i, v := range counts {
		n[i], offsets[i] = int32(v), int32(at)
		at += v
	}
	return n, offsets
}

// pointer is where a slice begins; MPI does not look at it where the slice is empty.
func pointer(b []byte) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(b)) }

// abortDelay is the time that the launcher gets to forward this rank's output. MPICH's
// launcher loses it in about one of seventy jobs that are aborted at once.
const abortDelay = 200 * time.Millisecond

// Abort implements collective.Comm. It does not wait for a call that another goroutine has
// made: that may never return.
func (c *comm) Abort(code int) {
	time.Sleep(abortDelay)
	end := func() { c.abort(c.world, int32(code)) }
	select {
	case c.calls <- end:
		<-c.done
	default:
		end()
	}
	os.Exit(code)
}

// Close implements collective.Comm.
func (c *comm) Close() error {
	err := c.do("MPI_Finalize", func() int32 { return c.finalize() })
	close(c.calls)
	return err
}
