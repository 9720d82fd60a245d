// Package checkpoint stores training state so that a crash, a full disk or a
// damaged file never costs more than the newest save.
//
// # Layout
//
// A [Store] is a folder. Each checkpoint in it is a folder of three files:
//
//	step-00000120/
//	    tensors.safetensors   arrays, readable by any safetensors reader
//	    state.json            {"format": 1, "step": 120, "state": …}
//	    manifest.json         size and SHA-256 of the other two, and its own SHA-256
//
// Format 1 is written and read from release 0.1.0 on; a higher one is refused with the
// word to use a newer program.
//
// The caller's state is any value that encoding/json can write: counters, seeds,
// configuration. Large arrays belong into tensors.
//
// # How a save survives a crash
//
// The files are written to a temporary folder beside the checkpoints and synced,
// then the folder itself is synced, renamed to its final name, and the store's
// folder is synced. A checkpoint therefore exists completely or not at all on a
// file system whose rename is atomic. Temporary folders that a crash left behind
// are removed by [Open]. After a save all but the last few checkpoints are
// removed.
//
// # How damage is noticed
//
// [Store.Latest] checks every length and checksum before it returns a
// checkpoint. A damaged one is reported by name and reason and the next older
// one is tried. Lengths that a file claims are compared with the file before
// anything of that length is allocated.
//
//	store, err := checkpoint.Open(dir, checkpoint.Options{})
//	err = store.Save(120, state, []checkpoint.Tensor{checkpoint.NewTensor("w", w, 10, 784)})
//	c, err := store.Latest(func(name string, err error) { log.Printf("skipping %s: %v", name, err) })
//	if errors.Is(err, checkpoint.ErrNone) { … start afresh … }
//	err = c.State(&state)
//	err = checkpoint.Read(c, "w", w)
//
// # Concurrency
//
// The methods of a Store may be called from several goroutines; saves run one
// after the other. One process at a time may have a store open for writing;
// any number may read with [Options].ReadOnly. A [Checkpoint] is read-only.
package checkpoint
