//go:build linux && (amd64 || arm64)

package mpi

import (
	"strings"
	"unsafe"

	"github.com/ebitengine/purego"

	"hinge/optim/collective"
)

// library are the functions and handles of an opened MPI library.
type library struct {
	file, version string

	initThread    func(argc, argv unsafe.Pointer, required int32, provided *int32) int32
	finalize      func() int32
	commRank      func(comm uintptr, rank *int32) int32
	commSize      func(comm uintptr, size *int32) int32
	setErrhandler func(comm, handler uintptr) int32
	errorString   func(code int32, text *byte, length *int32) int32
	barrier       func(comm uintptr) int32
	bcast         func(buf unsafe.Pointer, count int32, kind uintptr, root int32, comm uintptr) int32
	allgatherv    func(send unsafe.Pointer, count int32, kind uintptr, recv unsafe.Pointer, counts, offsets *int32, as uintptr, comm uintptr) int32
	alltoallv     func(send unsafe.Pointer, sends, from *int32, kind uintptr, recv unsafe.Pointer, recvs, to *int32, as uintptr, comm uintptr) int32
	abort         func(comm uintptr, code int32) int32

	getVersion        func(version, subversion *int32) int32
	getLibraryVersion func(text *byte, length *int32) int32

	world, byteType, errorsReturn uintptr
}

// Sizes that mpi.h gives: of the longest text of any library, and a level of threads.
const (
	longestText    = 8192 // MPI_MAX_LIBRARY_VERSION_STRING of MPICH
	threadFunneled = 1
)

// The handles of MPICH's binary interface are numbers.
const (
	mpichWorld        = 0x44000000
	mpichByte         = 0x4c00010d
	mpichErrorsReturn = 0x54000001
)

// files are the names under which each interface's library is found, in the order in
// which they are tried for a launcher.
func files(launcher string) []string {
	openmpi, mpich := []string{"libmpi.so.40"}, []string{"libmpich.so.12", "libmpi.so.12"}
	if launcher == "mpich" {
		return append(mpich, openmpi...)
	}
	return append(openmpi, mpich...)
}

// load opens the library: the named file, or the first that there is.
func load(file, launcher string) (*library, error) {
	try := []string{file}
	if file == "" {
		try = files(launcher)
	}
	var handle uintptr
	var err, first error
	for _, file = range try {
		// Open MPI's parts, which it opens itself, look for its symbols among all.
		if handle, err = purego.Dlopen(file, purego.RTLD_NOW|purego.RTLD_GLOBAL); err == nil {
			break
		}
		if first == nil {
			first = err
		}
	}
	if handle == 0 {
		return nil, collective.Failed("no MPI library: tried %s (%v); install Open MPI or MPICH, or name the file with -mpi", strings.Join(try, ", "), first)
	}
	l := &library{file: file}
	for _, f := range []struct {
		name string
		to   any
	}{
		{"MPI_Init_thread", &l.initThread}, {"MPI_Finalize", &l.finalize},
		{"MPI_Comm_rank", &l.commRank}, {"MPI_Comm_size", &l.commSize},
		{"MPI_Comm_set_errhandler", &l.setErrhandler}, {"MPI_Error_string", &l.errorString},
		{"MPI_Barrier", &l.barrier}, {"MPI_Bcast", &l.bcast},
		{"MPI_Allgatherv", &l.allgatherv}, {"MPI_Alltoallv", &l.alltoallv}, {"MPI_Abort", &l.abort},
		{"MPI_Get_version", &l.getVersion}, {"MPI_Get_library_version", &l.getLibraryVersion},
	} {
		at, err := purego.Dlsym(handle, f.name)
		if err != nil {
			return nil, collective.Failed("%s has no %s: not an MPI library, or one older than MPI 3", file, f.name)
		}
		purego.RegisterFunc(f.to, at)
	}
	return l, l.handles(handle)
}

// handles finds out which interface the library has.
func (l *library) handles(handle uintptr) error {
	text, n := make([]byte, longestText), int32(0)
	l.getLibraryVersion(&text[0], &n)
	l.version, _, _ = strings.Cut(string(text[:min(max(n, 0), longestText)]), "\n")
	l.version = strings.Join(strings.Fields(strings.TrimRight(l.version, "\x00")), " ")
	var major, minor int32
	if l.getVersion(&major, &minor); major < 3 {
		return collective.Failed("%s is of MPI %d.%d; at least MPI 3 is needed", l.file, major, minor)
	}
	if world, err := purego.Dlsym(handle, "ompi_mpi_comm_world"); err == nil {
		l.world = world
		l.byteType, err = purego.Dlsym(handle, "ompi_mpi_byte")
		if err == nil {
			l.errorsReturn, err = purego.Dlsym(handle, "ompi_mpi_errors_return")
		}
		if err != nil {
			return collective.Failed("%s is not the Open MPI that is known here: %v", l.file, err)
		}
		return nil
	}
	for _, family := range []string{"MPICH", "MVAPICH", "Intel(R) MPI"} {
		if strings.Contains(l.version, family) {
			l.world, l.byteType, l.errorsReturn = mpichWorld, mpichByte, mpichErrorsReturn
			return nil
		}
	}
	return collective.Failed("%s (%s) is neither Open MPI nor of MPICH's kind", l.file, l.version)
}
