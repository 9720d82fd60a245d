package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	network "hinge/data/citation"
)

// cora writes the citation network Cora as files of a model: words of papers as an array, who
// cites whom, and the topics of the training, validation and test papers of the first split of
// the paper's protocol. They are too large for the repository.
func cora(dir, root string) error {
	g, err := network.Load("cora", network.LINQS, root)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	split, err := network.NewSplit(g.Nodes(), network.PaperSizes(g), 0)
	if err != nil {
		return err
	}
	words := make([]byte, g.Nodes()*g.Words)
	for i := range g.Nodes() {
		for _, w := range g.WordCol[g.WordPtr[i]:g.WordPtr[i+1]] {
			words[i*g.Words+int(w)] = 1
		}
	}
	d := dataset{}
	seen := map[[2]int32]bool{}
	for _, c := range g.Cites {
		pair := [2]int32{min(c.Citing, c.Cited), max(c.Citing, c.Cited)}
		if !seen[pair] {
			seen[pair] = true
			d.add("link", g.IDs[pair[0]], g.IDs[pair[1]])
		}
	}
	for i, id := range g.IDs {
		part := ""
		for name, nodes := range map[string][]int{"learn": split.Train, "validation": split.Valid, "infer": split.Test} {
			if slices.Contains(nodes, i) {
				part = name
			}
		}
		for c, topic := range g.Classes {
			d.add("papers", id, topic)
			if part != "learn" {
				d.add("others", id, topic)
			}
			if part != "" {
				d.add("topics_"+part, id, topic, truth(c == g.Labels[i]))
			}
		}
	}
	if err := d.write(dir); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "words.txt"), []byte(strings.Join(g.IDs, "\n")+"\n"), 0o666); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "words.npy"), npy(words, g.Nodes(), g.Words), 0o666)
}
