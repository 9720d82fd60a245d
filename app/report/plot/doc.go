// Package plot draws curves as SVG for HTML pages: no legend, which a page has room for
// beside the picture, no font and no size of its own, and a marker at every point of a
// short curve, so that a single one is seen.
//
// The ticks of an axis are multiples of 1, 2 or 5 times a power of ten. Where their labels
// would be long, a power of ten, and what all of them have in common, stand once at the end
// of the axis: 1 2 3 and ×10⁻¹⁵ in place of 1e-15 2e-15 3e-15. Positive values that spread
// over decades have a logarithmic axis. A curve whose values differ by rounding alone is
// drawn level.
//
// It uses no drawing library: Go's bring fonts, image formats and print formats along, which
// every program with such a page would have to compile.
//
// The errors are of curves that do not fit together, or of a diagram without a point.
// There is no state, and equal data give equal bytes.
package plot
