// Package pipe answers V(w, g) and its gradients over two pipes, for programs that own a
// network and are not written in Go: cmd/infer -pipe. The Python package is its client.
//
// The client starts the command, writes requests to its standard input and reads one reply
// to each from its standard output, in order. The program ends with the exit code 0 when
// its input ends.
//
// # Frames
//
// Requests and replies are frames: a kind (uint32), 0 (uint32), the length of the body in
// bytes (uint64) and the body. All numbers are little-endian; real ones are float64, in
// arrays without padding between them. A body is of at most MaxBody bytes.
//
//	kind      request                          reply
//	1 hello   version (uint32)                 version (uint32): 1
//	2 load    JSON, type Request               JSON, type Loaded
//	3 value   head, w, g, labels, keys         S, R, D, Y, unsolved, 0 (uint32),
//	                                           seconds of the solves (float64), then
//	                                           V (S), Φ (S·R), Bᵀμ* (S·D), y* (Y)
//	4 pull    the same, then nudge, y*, c      the same, Y = 0, then m
//	5 free    program (uint32)                 an empty body
//	9 error                                    exit code (uint32), text in UTF-8
//
// head are nine uint32: the program (a number of a load's reply), flags, draws K, samples
// P, and the lengths R of w (its rules), D of a draw of a sample in g (its neural outputs)
// and T of a row of labels (its targets); the number of rows of labels, 0, 1 or P; and that
// of keys (int64), 0 or P; after them a zero. There are S = K·P slots, draw after draw, in
// g (S·D) and in all replies. Rows of labels hold NaN where a target is free. Flag 1 asks
// for the answers y*: Y is then S·T, else 0.
//
// Keys name samples. A solve with a key starts from the state in which the sample's last solve
// ended, and stores its own state; draws of a sample start from the same state. A request with
// labels and without keys solves the program given the labels (bilevel.Options.Condition),
// which is much smaller if few targets are free.
//
// A pull returns value and gradients of V_δ at the answers y* with the derivatives c of a
// loss by them (S·T each; see bilevel.ValueFunction.SolvePulled): with Φ and Bᵀμ* of the
// same request without a pull, (Φ_δ − Φ)·m/nudge is the loss's gradient for w.
//
// # Errors
//
// A frame of the kind error reports a mistake in a request: exit code 2 for models, rules and
// numbers that make no sense, 3 for data, 4 if hard rules contradict labels or outputs, and 1
// for internal errors. The next request is answered as if nothing had happened. If the order
// of frames is lost (a length beyond MaxBody, an unknown kind, no hello, an end within a
// frame) the program ends, with exit code 2 after such a frame.
//
// Serve serves one pair of pipes and parallelises inside.
package pipe
