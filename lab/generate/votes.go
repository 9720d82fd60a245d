package main

import (
	"fmt"
	"math/rand/v2"
)

// weightLearning: in two towns people vote yes or no. Who is whose spouse, friend,
// colleague and rival says different things about whether they vote alike. A third
// of the votes is known.
func weightLearning(rng *rand.Rand) dataset {
	const people = 60
	relations := []struct {
		name   string
		pairs  int
		alike  float64 // share of the pairs that vote alike
		single bool    // at most one a person
	}{
		{"spouse", 20, 0.95, true}, {"friend", 90, 0.8, false}, {"colleague", 120, 0.5, false}, {"rival", 60, 0.15, false},
	}
	d := dataset{}
	for _, town := range []string{"learn", "infer"} {
		voter := func(p int) string { return fmt.Sprintf("%c%d", town[0], p) }
		votes := make([]bool, people)
		for p := range people {
			votes[p] = chance(rng, 0.5)
			d.atom(chance(rng, 1.0/3), "votes", "_"+town, truth(votes[p]), voter(p))
		}
		for _, r := range relations {
			taken := map[[2]int]bool{}
			bound := map[int]bool{}
			for made := 0; made < r.pairs; {
				a, b := rng.IntN(people), rng.IntN(people)
				// The share of a kind of pairs follows from how often it is taken.
				likely := r.alike
				if votes[a] != votes[b] {
					likely = 1 - r.alike
				}
				if a == b || taken[[2]int{a, b}] || r.single && (bound[a] || bound[b]) || !chance(rng, likely) {
					continue
				}
				taken[[2]int{a, b}], taken[[2]int{b, a}] = true, true
				bound[a], bound[b] = true, true
				d.add(r.name+"_"+town, voter(a), voter(b))
				d.add(r.name+"_"+town, voter(b), voter(a))
				made++
			}
		}
	}
	return d
}
