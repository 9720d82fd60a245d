package familytest

import (
	"math"
	"math/rand/v2"
	"strconv"

	"hinge/symbolic/ground"
	"hinge/symbolic/psl"
)

// builder fills a model's database and keeps the first error.
type builder struct {
	*ground.Builder
	rng     *rand.Rand
	outputs []float64
	width   int
	terms   int
}

func newBuilder(rng *rand.Rand) *builder {
	return &builder{Builder: ground.NewBuilder(), rng: rng, width: 1}
}

// model parses the rules and returns what was built.
func (b *builder) model(rules string, epsilon float64) (*Model, error) {
	if b.Err != nil {
		return nil, b.Err
	}
	src, err := ruleFiles.ReadFile("rules/" + rules + ".psl")
	if err != nil {
		return nil, err
	}
	m := &Model{Data: b.DB, Epsilon: epsilon, Outputs: b.outputs, Width: b.width, Terms: b.terms}
	m.Rules, err = psl.Parse(rules+".psl", src)
	return m, err
}

// observe adds an observed atom with its value.
func (b *builder) observe(pred string, value float64, args ...string) {
	if b.Err == nil {
		b.Err = b.DB.Observe(pred, value, args...)
	}
}

// deep adds a neural output with its value g.
func (b *builder) deep(pred string, g float64, args ...string) {
	if b.Deep(pred, args...); b.Err == nil {
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

// Softmax fills g with the softmax of standard normal logits, that of hot
// raised by margin.
func Softmax(rng *rand.Rand, g []float64, hot int, margin float64) {
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
