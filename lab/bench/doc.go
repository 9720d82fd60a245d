// Package bench measures inference: how long grounding and solving take, how
// good the solution is and how both grow with the size of the model.
//
// A Cell is a method on a model of a size. Suite.Run measures cells one after
// the other, each in a process of its own: so peak memory is that of the cell,
// a cell that does not end is ended, and one that fails does not harm the rest.
// The process calls Measure. Rows go to a log, one JSON object a line, as soon
// as they are known; a suite that is started again with the same program goes
// on where it stopped. Report writes the tables from the log; nothing in them
// is written by hand.
//
// # What is measured
//
// Grounding is the way from rules and data to the ground program, compiling the
// step to the LCQP. The first solve of the process starts from zero; the next
// ones, from zero too, find their storage in place. Then the neural outputs, or
// the constants of models without them, move by Move, and the changed problem
// is solved from zero and from the old solution. Times are those on the clock
// and those of all processors together. Gap is the largest of a component;
// violation and residual are recomputed by lcqp.Residuals.
//
// A component is done when its gap is at most Cell.Gap or 1e-8 of its value,
// with constraints and stationarity within Cell.Gap; all methods are held to
// the same, and only the time limit stops those that are slow.
//
// # Errors and concurrency
//
// A cell that fails is a row with the status Failed and the reason; Run goes
// on. Errors of Run are those of the log and of starting processes, and the
// context's. One Suite at a time may use a log.
package bench
