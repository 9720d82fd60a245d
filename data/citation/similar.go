package citation

import (
	"cmp"
	"math"
	"slices"
)

// Similar returns pairs (u, v), u < v, sorted, of papers with similar words: v is among the k
// papers most similar to u, or u among the k most similar to v. Similarity is the cosine of
// the word vectors, in which a word of n papers weighs log(N/n); papers without a common word
// are not similar. Ties go to the papers with smaller numbers.
func (g *Graph) Similar(k int) [][2]int32 {
	n := g.Nodes()
	holders := make([][]int32, g.Words)
	for i := range n {
		for _, w := range g.Node(i) {
			holders[w] = append(holders[w], int32(i))
		}
	}
	square := make([]float64, g.Words) // of the weight
	for w, list := range holders {
		if len(list) > 0 {
			idf := math.Log(float64(n) / float64(len(list)))
			square[w] = idf * idf
		}
	}
	norm := make([]float64, n)
	for i := range norm {
		for _, w := range g.Node(i) {
			norm[i] += square[w]
		}
		norm[i] = math.Sqrt(norm[i])
	}
	var pairs [][2]int32
	dot := make([]float64, n)
	var met []int32
	for i := range int32(n) {
		met = met[:0]
		for _, w := range g.Node(int(i)) {
			for _, j := range holders[w] {
				if j == i || square[w] == 0 {
					continue
				}
				if dot[j] == 0 {
					met = append(met, j)
				}
				dot[j] += square[w]
			}
		}
		slices.SortFunc(met, func(a, b int32) int {
			return cmp.Or(cmp.Compare(dot[b]/norm[b], dot[a]/norm[a]), cmp.Compare(a, b))
		})
		for _, j := range met[:min(k, len(met))] {
			pairs = append(pairs, [2]int32{min(i, j), max(i, j)})
		}
		for _, j := range met {
			dot[j] = 0
		}
	}
	slices.SortFunc(pairs, func(a, b [2]int32) int { return slices.Compare(a[:], b[:]) })
	return slices.Compact(pairs)
}
