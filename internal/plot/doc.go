// Package plot draws the few figures a training run leaves behind as SVG, with
// nothing but the standard library: curves over steps, a matrix of counts, and a
// sheet of small grey images with captions.
//
// Every function writes one complete SVG document to w; the only errors are those
// of w and of data that does not fit together. There is no state. Numbers are
// printed with a fixed number of digits, so equal data gives equal bytes.
package plot
