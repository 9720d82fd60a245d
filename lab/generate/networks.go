package main

import (
	"fmt"
	"math/rand/v2"

	"hinge/data/mnist"
)

// partitions are the parts that the data of examples with networks have.
var partitions = []string{"learn", "validation", "infer"}

// neuralGraph: three towns of people who belong to one of four clubs. A survey has
// eight answers a person, whose first two say, together and with noise, which club; of
// a person's friends two thirds are in the same club. In each town the clubs of some
// people are known. In the town to learn from, those of a third of the others, too.
func neuralGraph(rng *rand.Rand) dataset {
	const answers, friends = 8, 3
	clubs := [...]string{"chess", "choir", "hiking", "rowing"}
	d := dataset{}
	for _, town := range partitions {
		people := map[string]int{"learn": 160, "validation": 320, "infer": 480}[town]
		name := func(i int) string { return fmt.Sprintf("%c%03d", town[0], i) }
		known := map[string]bool{}
		for i := range people {
			club := i % len(clubs)
			row := []any{name(i)}
			for k := range answers {
				v := 0.9 * rng.NormFloat64()
				switch {
				case k == 0:
					v += float64(2*(club&1) - 1)
				case k == 1 && club == 0 || k == 1 && club == 3:
					v++ // a corner and the one opposite: no answer tells it alone
				case k == 1:
					v--
				}
				row = append(row, v)
			}
			d.add("survey", row...)
			for range friends {
				j := rng.IntN(people)
				if chance(rng, 0.55) {
					j = (j/len(clubs)*len(clubs) + club) % people
				}
				a, b := name(min(i, j)), name(max(i, j))
				if i != j && !known[a+b] {
					known[a+b] = true
					d.add("friend_"+town, a, b)
				}
			}
			observed, labelled := chance(rng, 0.15), town != "learn" || chance(rng, 0.35)
			for c, text := range clubs {
				d.add("people_"+town, name(i), text)
				if observed || labelled {
					d.atom(observed, "club", "_"+town, truth(c == club), name(i), text)
				} else {
					d.add("club_targets_"+town, name(i), text)
				}
			}
		}
	}
	return d
}

// neuralMNIST: streets of ten houses. The last digit of a house's number, which is
// seen as an image of MNIST's, is one more than that of the house before, but for
// every seventh house or so, where a number is left out. Of every street the digit of
// one house is known: observed to infer the others, and all there is to learn from in
// the 40 streets to learn from.
func neuralMNIST(rng *rand.Rand) dataset {
	const houses = 10
	d := dataset{}
	images := digits(rng)
	for digit := range mnist.Classes {
		d.add("after", digit, (digit+1)%mnist.Classes)
	}
	for _, part := range partitions {
		for range map[string]int{"learn": 40, "validation": 30, "infer": 60}[part] {
			digit, before, known := rng.IntN(mnist.Classes), -1, rng.IntN(houses)
			for house := range houses {
				image := images.next(digit)
				if house > 0 {
					d.add("next_"+part, before, image)
				}
				for c := range mnist.Classes {
					d.add("houses_"+part, image, c)
					if learns := part == "learn"; learns && house != known {
						d.add("digit_targets_learn", image, c)
					} else {
						d.atom(!learns && house == known, "digit", "_"+part, truth(c == digit), image, c)
					}
				}
				before = image
				digit = (digit + 1 + truth(chance(rng, 0.15))) % mnist.Classes
			}
		}
	}
	return d
}

// drawn are the numbers of MNIST's training images by class, in an order of their own.
type drawn [mnist.Classes][]int

// next takes an image of a digit.
func (images *drawn) next(digit int) int {
	image := images[digit][0]
	images[digit] = images[digit][1:]
	return image
}

func digits(rng *rand.Rand) *drawn {
	set, err := mnist.Load("")
	if err != nil {
		panic(err) // the files come with the modules
	}
	images := new(drawn)
	for _, i := range rng.Perm(set.Train.Len()) {
		l := set.Train.Label(i)
		images[l] = append(images[l], i)
	}
	return images
}

// pretrained: images with the digits that they show, and for another model images in
// pairs, of which one is of an even digit. Of ten pairs to learn from it is known which.
func pretrained(rng *rand.Rand) dataset {
	d := dataset{}
	images := digits(rng)
	for _, part := range partitions {
		for i := range map[string]int{"learn": 400, "validation": 200, "infer": 400}[part] {
			image := images.next(i % mnist.Classes)
			for c := range mnist.Classes {
				d.add("images_"+part, image, c)
				d.add("digits_"+part, image, c, truth(c == i%mnist.Classes))
			}
		}
		for i := range map[string]int{"learn": 40, "validation": 50, "infer": 200}[part] {
			even := images.next(2 * rng.IntN(mnist.Classes/2))
			odd := images.next(2*rng.IntN(mnist.Classes/2) + 1)
			d.add("pairs_"+part, min(even, odd), max(even, odd))
			for _, image := range []int{even, odd} {
				d.add("paired_"+part, image)
				if part != "learn" || i < 10 {
					d.add("even_"+part, image, truth(image == even))
				}
			}
		}
	}
	return d
}

// neuralFilms: who likes which film follows from a person's taste for its genre and
// from how well it is made. A questionnaire hints at the tastes, the numbers of a
// film at its making. Nobody's tastes are known, and of every third film to learn from
// what critics say.
func neuralFilms(rng *rand.Rand) dataset {
	genres := [...]string{"comedy", "crime", "science"}
	const questions, numbers, ratings = 6, 6, 10
	d := dataset{}
	for _, part := range partitions {
		people, films := map[string]int{"learn": 120, "validation": 60, "infer": 90}[part], 60
		made := make([]bool, films)
		title := func(f int) string { return fmt.Sprintf("%c-film%02d", part[0], f) }
		for f := range films {
			made[f] = chance(rng, 0.5)
			row := []any{title(f)}
			for k := range numbers {
				row = append(row, 0.5*float64(2*truth(made[f])-1)*float64(truth(k < 3))+0.7*rng.NormFloat64())
			}
			d.add("films", row...)
			d.add("films_"+part, title(f))
			if part != "learn" || chance(rng, 0.33) {
				d.add("made_truth_"+part, title(f), truth(made[f]))
			}
		}
		for p := range people {
			name := fmt.Sprintf("%c-person%03d", part[0], p)
			var taste [len(genres)]bool
			for g, text := range genres {
				taste[g] = chance(rng, 0.5)
				d.add("people_"+part, name, text)
			}
			row := []any{name}
			for q := range questions {
				// A question is about two genres, the last ones are about none.
				v := 0.5 * rng.NormFloat64()
				if q < len(genres) {
					v += float64(truth(taste[q]) + truth(taste[(q+1)%len(genres)]) - 1)
				}
				row = append(row, v)
			}
			d.add("people", row...)
			for _, f := range rng.Perm(films)[:ratings] {
				g := f % len(genres)
				d.add("rated_"+part, name, title(f), genres[g])
				likes := truth(chance(rng, 0.05+0.65*float64(truth(taste[g]))+0.25*float64(truth(made[f]))))
				d.atom(part != "learn" && chance(rng, 0.3), "likes", "_"+part, likes, name, title(f))
			}
		}
	}
	return d
}
