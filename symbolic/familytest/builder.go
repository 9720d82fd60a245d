package familytest

import (
	"math"
	"math/rand/v2"
	"strconv"

	"hinge/symbolic/ground"
)

// builder fills a model's database and keeps the first error.
type builder struct {
	rng     *rand.Rand
	db      *ground.Database
	outputs []float64
	width   int
	terms   int
	err     error
}

func newBuilder(rng *rand.Rand) *builder {
	return &builder{rng: rng, db: ground.NewDatabase(), width: 1}
}

// model parses the rules and returns what was built.
func (b *builder) model(rules string, epsilon float64) (*Model, error) {
	if b.err != nil {
		return nil, b.err
	}
	m := &Model{Data: b.db, Epsilon: epsilon, Outputs: b.outputs, Width: b.width, Terms: b.terms}
	var err error
	m.Rules, err = parseRules(rules)
	return m, err
}

func (b *builder) declare(pred string, arity int) {
	if b.err == nil {
		b.err = b.db.Predicate(pred, arity)
	}
}

func (b *builder) observe(pred string, value float64, args ...string) {
	if b.err == nil {
		b.err = b.db.Observe(pred, value, args...)
	}
}

func (b *builder) target(pred string, args ...string) {
	if b.err == nil {
		_, b.err = b.db.Target(pred, args...)
	}
}

// deep adds a neural output with its value g.
func (b *builder) deep(pred string, g float64, args ...string) {
	if b.err == nil {
		_, b.err = b.db.Deep(pred, args...)
		b.outputs = append(b.outputs, g)
	}
}

// numbers returns the texts of 0 … n − 1.
func numbers(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = strconv.Itoa(i)
	}
	return list
}

// softmax fills g with the softmax of standard normal logits, that of hot
// raised by margin.
func softmax(rng *rand.Rand, g []float64, hot int, margin float64) {
	sum := 0.0
	for x := range g {
		logit := rng.NormFloat64()
		if x == hot {
			logit += margin
		}
		g[x] = math.Exp(logit)
		sum += g[x]
	}
	for x := range g {
		g[x] /= sum
	}
}

// noisy returns v with normal noise, within [0, 1].
func (b *builder) noisy(v, deviation float64) float64 {
	return min(max(v+deviation*b.rng.NormFloat64(), 0), 1)
}
