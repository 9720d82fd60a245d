package main

import "math/rand/v2"

// acquaintances: 25 people live in one of three towns and like up to ten
// things. People of the same town and taste know each other, most of the time.
// Half of the pairs are to be inferred.
func acquaintances(rng *rand.Rand) dataset {
	const people, towns, things = 25, 3, 10
	d := dataset{}
	town := make([]int, people)
	likes := make([][]float64, people)
	for p := range people {
		town[p] = rng.IntN(towns)
		d.add("lived", name(p), "town"+letter(town[p]))
		likes[p] = make([]float64, things)
		// Each town has its fashion.
		for t := range things {
			likes[p][t] = clamp(0.25 + 0.2*rng.NormFloat64() + 0.5*float64(truth(t%towns == town[p])))
			d.add("likes", name(p), "thing"+letter(t), likes[p][t])
		}
	}
	for a := range people {
		for b := range a {
			common := 0.0
			for t := range things {
				common += max(0, likes[a][t]+likes[b][t]-1)
			}
			p := clamp(0.05 + 0.2*common)
			if town[a] == town[b] {
				p = clamp(p + 0.5)
			}
			know := chance(rng, p)
			for _, pair := range [][2]int{{a, b}, {b, a}} {
				d.atom((a+b)%2 == 0, "knows", "", truth(know), name(pair[0]), name(pair[1]))
			}
		}
	}
	return d
}

// linkPrediction: 30 researchers of three fields write papers together. A
// third of the pairs with a common acquaintance is to be inferred, from
// similar interests and from the known links.
func linkPrediction(rng *rand.Rand) dataset {
	const people, fields = 30, 3
	d := dataset{}
	var linked, hidden [people][people]bool
	for a := range people {
		for b := range a {
			p := 0.03
			if a%fields == b%fields {
				p = 0.75
			}
			linked[a][b], hidden[a][b] = chance(rng, p), chance(rng, 1.0/3)
			linked[b][a], hidden[b][a] = linked[a][b], hidden[a][b]
		}
	}
	for a := range people {
		for b := range a {
			near := false
			for c := range people {
				near = near || linked[a][c] && linked[c][b] && !hidden[a][c] && !hidden[b][c]
			}
			similar := clamp(0.35 + 0.3*float64(truth(a%fields == b%fields)) + 0.15*rng.NormFloat64())
			for _, pair := range [][2]int{{a, b}, {b, a}} {
				x, y := name(pair[0]), name(pair[1])
				d.add("similar", x, y, similar)
				d.atom(!hidden[a][b] || !near, "link", "", truth(linked[a][b]), x, y)
			}
		}
	}
	return d
}

// trustPrediction: 30 people in two camps; some of them are known to cheat.
// People trust within their camp, and nobody trusts cheats; now and then they
// are wrong. A quarter of the judgements is to be inferred.
func trustPrediction(rng *rand.Rand) dataset {
	const people = 30
	d := dataset{}
	cheat := make([]bool, people)
	for p := range people {
		cheat[p] = chance(rng, 0.15)
	}
	for a := range people {
		for b := range people {
			if a == b || !chance(rng, 0.35) {
				continue
			}
			trust := a%2 == b%2 && !cheat[b]
			if chance(rng, 0.08) {
				trust = !trust
			}
			d.add("knows", name(a), name(b))
			d.atom(!chance(rng, 0.25), "trusts", "", truth(trust), name(a), name(b))
		}
	}
	d.add("prior", "trust", 0.5)
	return d
}

var names = [...]string{
	"ada", "ben", "cleo", "dan", "eva", "finn", "gwen", "hugo", "ida", "jan", "kim", "leo", "mia", "nils", "olga",
	"paul", "quin", "rosa", "sam", "tara", "udo", "vera", "will", "xena", "yara", "zoe", "abel", "bea", "carl", "dora",
}

// name is the name of person p.
func name(p int) string { return names[p] }

// letter is A for 0, B for 1 and so on.
func letter(i int) string { return string(rune('A' + i)) }
