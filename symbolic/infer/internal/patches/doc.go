// Package patches is an overlapping domain decomposition. It divides a component of thousands
// of targets into subdomains of some hundred neighbouring targets. If rows tie only near
// neighbours, time and memory are proportional to the size of the component.
//
//	var d patches.Decomposition
//	v, end := d.Run(in, comp, warm, &task, dual, y)
//	if end == patches.Converged {
//		energy = d.Finish(&solution)
//	}
//	d.Release()
//
// Run reports whether the component is not local (it has then done nothing) or converges
// slowly (its multipliers are then a good start for another method). It uses Task.Workers
// goroutines itself; results do not depend on their number. A Decomposition may be used by one
// caller at a time.
package patches
