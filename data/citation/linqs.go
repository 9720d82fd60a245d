package citation

import (
	"bytes"
	"slices"
	"strings"
)

// readLINQS takes the two files of a LINQS citation network, as they were published, apart:
//
//	content: paper TAB word₁ TAB … TAB word_n TAB class    (words are 0 or 1)
//	cites:   cited paper TAB citing paper
//
// Papers are numbered by their lines, classes by the alphabet. Citations that
// name an unknown paper, or the same paper twice, are left out and counted in
// Graph.Skipped: the original CiteSeer has 17 and 124 of them.
func readLINQS(name string, content, cites []byte) *Graph {
	g := &Graph{Name: name, WordPtr: []int{0}}
	number := make(map[string]int32)
	var classes []string
	for line := range bytes.Lines(content) {
		fields := strings.Split(strings.TrimSpace(string(line)), "\t")
		paper, words, class := fields[0], fields[1:len(fields)-1], fields[len(fields)-1]
		for k, word := range words {
			if word == "1" {
				g.WordCol = append(g.WordCol, int32(k))
			}
		}
		number[paper] = int32(len(g.IDs))
		g.IDs = append(g.IDs, paper)
		g.Words, g.WordPtr = len(words), append(g.WordPtr, len(g.WordCol))
		classes = append(classes, class)
	}
	g.Classes = slices.Compact(slices.Sorted(slices.Values(classes)))
	for _, c := range classes {
		g.Labels = append(g.Labels, slices.Index(g.Classes, c))
	}
	for line := range bytes.Lines(cites) {
		cited, citing, _ := strings.Cut(strings.TrimSpace(string(line)), "\t")
		to, known := number[cited]
		from, also := number[citing]
		switch {
		// A self-citation of a paper without content counts as one.
		case cited == citing:
			g.Skipped.Self++
		case !known || !also:
			g.Skipped.Unknown++
		default:
			g.Cites = append(g.Cites, Cite{Citing: from, Cited: to})
		}
	}
	return g
}
