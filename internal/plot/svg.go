package plot

import (
	"fmt"
	"io"
	"strings"
)

// document collects the elements of an SVG.
type document struct {
	strings.Builder
	width, height float64
}

func newDocument(width, height float64, title string) *document {
	d := &document{width: width, height: height}
	fmt.Fprintf(d, `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="%.0f" height="%.0f" viewBox="0 0 %.0f %.0f" font-family="sans-serif" font-size="11">`+"\n",
		width, height, width, height)
	fmt.Fprintf(d, `<rect width="%.0f" height="%.0f" fill="white"/>`+"\n", width, height)
	d.text(width/2, 18, "middle", title)
	return d
}

func (d *document) text(x, y float64, anchor, s string) {
	fmt.Fprintf(d, `<text x="%.1f" y="%.1f" text-anchor="%s">%s</text>`+"\n", x, y, anchor, escape(s))
}

func (d *document) rect(x, y, w, h float64, fill string) {
	fmt.Fprintf(d, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"/>`+"\n", x, y, w, h, fill)
}

// finish writes the document.
func (d *document) finish(w io.Writer) error {
	d.WriteString("</svg>\n")
	_, err := io.WriteString(w, d.String())
	return err
}

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")

func escape(s string) string { return escaper.Replace(s) }
