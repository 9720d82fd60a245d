package patches

// Tuning constants of the decomposition.

const (
	// longestRow is the longest row with which a component is taken for local.
	longestRow = 256
	// lightSweeps is the largest number of sweeps over few subdomains after which only
	// these are looked at, not the whole component.
	lightSweeps = 4
)

const (
	// subdomainTargets is the usual size of a subdomain.
	subdomainTargets = 500
	// mostOverlap is the size of all subdomains with their overlaps, relative to the
	// number of targets, up to which a component is taken for local.
	mostOverlap = 1.75
)

// localIterations bounds the iterations spent on a local problem at a time; few need more than
// ten. A hard problem keeps the progress it has made, and the next sweep puts another
// subdomain around the remaining error.
const localIterations = 100

// A row is worked on again if it takes more than gapShare of its part of the gap, or
// is off by more than rowShare of the tolerance; a local problem is solved to
// localShare of it.
const (
	gapShare   = 0.25
	rowShare   = 0.5
	localShare = 0.1
)

// Sweeps over many subdomains are given up when at the rate of the last rateWindow more
// than mostSweeps were needed, all sweeps when patience of them have not halved the
// excess.
const (
	rateWindow = 2
	mostSweeps = 15
	patience   = 8
)
