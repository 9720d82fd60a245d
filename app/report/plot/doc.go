// Package plot draws curves as SVG for HTML pages, with gonum.org/v1/plot: no legend,
// which a page has room for beside the picture, no fonts and no size of its own, and a
// marker at every point of a short curve, so that a single one is seen.
//
// The errors are of curves that do not fit together, or of a diagram without a point.
// There is no state, and equal data give equal bytes.
package plot
