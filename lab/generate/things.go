package main

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// citation: 60 papers of three topics cite papers of their own topic, mostly. A
// classifier that reads the titles guesses the topic and is wrong for a third
// of the papers. The topic of every fourth paper is known.
func citation(rng *rand.Rand) dataset {
	const papers = 60
	topics := [...]string{"logic", "optimisation", "vision"}
	d := dataset{}
	for p := range papers {
		paper := fmt.Sprintf("p%02d", p)
		for range 3 {
			q := rng.IntN(papers)
			if q%3 != p%3 && chance(rng, 0.75) {
				q = (q/3*3 + p%3) % papers
			}
			if row := []string{paper, fmt.Sprintf("p%02d", q)}; q != p && !slices.ContainsFunc(d["cites"], func(r []string) bool { return slices.Equal(r, row) }) {
				d["cites"] = append(d["cites"], row)
			}
		}
		guess := p % 3
		if chance(rng, 0.35) {
			guess = (guess + 1 + rng.IntN(2)) % 3
		}
		for t, topic := range topics {
			d.add("guess", paper, topic, 0.15+0.45*float64(truth(t == guess))+0.1*rng.Float64())
			d.atom(p%4 == 0, "topic", "", truth(t == p%3), paper, topic)
		}
	}
	return d
}

// entityResolution: ten authors appear in the author lists of papers, their
// names written in several ways. Which mentions mean the same author?
func entityResolution(rng *rand.Rand) dataset {
	authors := [...][]string{
		{"Alice Baker", "A. Baker", "Alice B. Baker"}, {"Adam Baker", "A. Baker", "Adam K. Baker"},
		{"Carol Diaz", "C. Diaz", "Caroline Diaz"}, {"Chen Ding", "C. Ding", "Chen L. Ding"},
		{"Emma Fischer", "E. Fischer", "Emma Fisher"}, {"Erik Fischer", "E. Fischer", "Eric Fischer"},
		{"Gita Hassan", "G. Hassan", "Gita R. Hassan"}, {"Greg Holt", "G. Holt", "Gregory Holt"},
		{"Ines Jung", "I. Jung", "Inés Jung"}, {"Ivan Jansen", "I. Jansen", "Ivan Janssen"},
	}
	const papers = 14
	type mention struct {
		id, name, block string
		author, paper   int
	}
	var mentions []mention
	d := dataset{}
	for p := range papers {
		// Two of a group of authors who always work together.
		first := rng.IntN(len(authors))
		for _, a := range []int{first, (first + 2) % len(authors)} {
			spelling := authors[a][rng.IntN(len(authors[a]))]
			m := mention{fmt.Sprintf("m%02d", len(mentions)), spelling, spelling[:1], a, p}
			mentions = append(mentions, m)
			d.add("mention", m.id, fmt.Sprintf("paper%02d", p))
			d.add("block", m.id, m.block)
		}
	}
	for _, a := range mentions {
		for _, b := range mentions {
			if a.id == b.id || a.block != b.block {
				continue
			}
			if s := similarity(a.name, b.name); s >= 0.3 {
				d.add("similar_name", a.id, b.id, s)
			}
			d.atom(false, "same", "", truth(a.author == b.author), a.id, b.id)
		}
	}
	return d
}

// similarity is the share of common pairs of letters of two names (Dice's
// coefficient).
func similarity(a, b string) float64 {
	pairs := func(s string) map[string]bool {
		m := map[string]bool{}
		s = " " + strings.ToLower(s) + " "
		for i := range len(s) - 1 {
			m[s[i:i+2]] = true
		}
		return m
	}
	x, y := pairs(a), pairs(b)
	common := 0
	for p := range x {
		if y[p] {
			common++
		}
	}
	return 2 * float64(common) / float64(len(x)+len(y))
}

// similarityRegression: 60 flats with a size and a distance from the centre,
// both unknown to the model. Known are for every flat the five most similar
// ones and the rent of every third flat. The rents of the others are to be
// inferred; all are scaled to [0, 1].
func similarityRegression(rng *rand.Rand) dataset {
	const flats, neighbours = 60, 5
	d := dataset{}
	size, distance := make([]float64, flats), make([]float64, flats)
	sum, known := 0.0, 0
	for f := range flats {
		size[f], distance[f] = rng.Float64(), rng.Float64()
		rent := clamp(0.15 + 0.6*size[f] + 0.25*(1-distance[f]) - 0.2*size[f]*distance[f] + 0.03*rng.NormFloat64())
		if f%3 == 0 {
			sum, known = sum+rent, known+1
		}
		d.atom(f%3 == 0, "rent", "", rent, flat(f))
	}
	for f := range flats {
		order := make([]int, 0, flats)
		far := func(g int) float64 { return math.Hypot(size[f]-size[g], distance[f]-distance[g]) }
		for g := range flats {
			if g != f {
				order = append(order, g)
			}
		}
		slices.SortFunc(order, func(g, h int) int { return cmp.Compare(far(g), far(h)) })
		for _, g := range order[:neighbours] {
			d.add("similar", flat(f), flat(g), math.Exp(-3*far(g)))
		}
	}
	d.add("mean", "rent", sum/float64(known))
	return d
}

// flat is the name of flat f.
func flat(f int) string { return fmt.Sprintf("flat%02d", f) }
