// Package patches is an overlapping domain decomposition: it takes a component of
// thousands of targets apart into some hundred neighbouring targets at a time, and so
// solves it in time and memory proportional to its size where rows tie near neighbours.
//
//	var d patches.Decomposition
//	v, end := d.Run(in, comp, warm, &task, dual, y)
//	if end == patches.Converged {
//		energy = d.Finish(&solution)
//	}
//	d.Release()
//
// Run tells where the component is not local (nothing has been done) or converges
// slowly (its multipliers are a good start for another method). It uses Task.Workers
// goroutines itself; results do not depend on how many. A Decomposition may be used by
// one caller at a time.
package patches
