package rules

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"

	"hinge/symbolic/ground"
	"hinge/symbolic/model"
	"hinge/symbolic/rulemining"
)

// readModel takes the observations of the predicates with two arguments of a model file as facts. Atoms whose
// value is 1/2 or more count as true. A tenth of them, drawn at random, is held out for validation and
// a tenth for the test.
func readModel(path string) (*links, error) {
	m, err := model.Load(path, model.LoadOptions{})
	if err != nil {
		return nil, err
	}
	l := &links{entity: map[string]int32{}, relation: map[string]int32{}}
	var all []rulemining.Triple
	sum := fnv.New64a()
	for _, p := range m.Predicates {
		if p.Arity != 2 || p.Network != nil {
			continue
		}
		relation := int32(-1)
		for a := range m.Data.Atoms(p.Name) {
			if a.Kind != ground.Observed || a.Value < 0.5 {
				continue
			}
			if relation < 0 {
				relation = intern(l.relation, &l.names.Relations, p.Name)
			}
			fmt.Fprintf(sum, "%s\t%s\t%s\n", a.Args[0], p.Name, a.Args[1])
			all = append(all, rulemining.Triple{Head: intern(l.entity, &l.names.Entities, a.Args[0]), Relation: relation, Tail: intern(l.entity, &l.names.Entities, a.Args[1])})
		}
	}
	if len(all) < 20 {
		return nil, dataError("%s has %d observed atoms of predicates with two arguments; rules need at least 20 facts", path, len(all))
	}
	l.digest = sum.Sum64()
	rand.New(rand.NewPCG(l.digest, 0)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	tenth := len(all) / 10
	l.valid, l.test, l.train = all[:tenth], all[tenth:2*tenth], all[2*tenth:]
	return l, nil
}

// jsonText returns a text as JSON.
func jsonText(v any) string {
	b, _ := json.Marshal(v) // texts and lists of texts always have a form
	return string(b)
}
