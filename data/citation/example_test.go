package citation_test

import (
	"fmt"

	"hinge/data/citation"
)

// A generated graph, its first split and its features.
func Example() {
	g, err := citation.Generate(citation.Demo())
	if err != nil {
		panic(err)
	}
	split, err := citation.NewSplit(g.Nodes(), citation.PaperSizes(g), 0)
	if err != nil {
		panic(err)
	}
	fmt.Println(g.Nodes(), "papers,", len(g.Classes), "classes,", len(g.Links()), "links")
	fmt.Println(len(split.Train), "for training,", len(split.Valid), "for validation,", len(split.Test), "for testing,", len(split.Latent), "latent")
	x := g.Smoothed(2)
	fmt.Println(len(x) == g.Nodes()*g.Words)
	// Output:
	// 900 papers, 5 classes, 1746 links
	// 45 for training, 45 for validation, 300 for testing, 510 latent
	// true
}
