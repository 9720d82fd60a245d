package citation

import (
	"context"
	"embed"
	"fmt"
	"maps"
	"os"
	"slices"

	"hinge/data/citation"
	"hinge/nn"
	"hinge/symbolic/ground"
	"hinge/symbolic/lcqp"
	"hinge/symbolic/psl"
	"hinge/train/config"
)

//go:embed rules/*.psl
var ruleFiles embed.FS

// Symbolic is the compiled hinge-loss model of a citation graph: one program for
// all papers, whose learning, validation and test phases differ in the labels
// that are fixed.
//
// With C classes, target and neural output C·i + c are HasCat and Neural of paper
// i and class c.
type Symbolic struct {
	Template *lcqp.Template
	// Papers and Classes are the numbers N and C.
	Papers, Classes int

	labels []int
}

// NewSymbolic grounds and compiles the rules of a graph. file names a rule file;
// empty means the one named rules.
func NewSymbolic(g *citation.Graph, rules, file string) (*Symbolic, error) {
	name, src, err := ruleText(rules, file)
	if err != nil {
		return nil, err
	}
	parsed, err := psl.Parse(name, src)
	if err != nil {
		return nil, &config.UsageError{Key: "rules", Problem: err.Error()}
	}
	db, err := database(g, parsed)
	if err != nil {
		return nil, err
	}
	program, err := ground.Ground(context.Background(), parsed, db, ground.Options{})
	if err != nil {
		return nil, &config.UsageError{Key: "rules", Problem: err.Error()}
	}
	s := &Symbolic{Papers: g.Nodes(), Classes: len(g.Classes), labels: g.Labels}
	s.Template, err = lcqp.Compile(program)
	return s, err
}

// RuleText returns the rules of a configuration: from its file, or else its task's.
func RuleText(cfg *config.Config) ([]byte, error) {
	_, src, err := ruleText(builtIn(cfg), cfg.Rules)
	return src, err
}

// builtIn names the built-in rule file of a configuration.
func builtIn(cfg *config.Config) string {
	name := cfg.Task
	if name == "citation-demo" {
		name = "demo"
	}
	switch {
	case cfg.Recipe != "best":
	case cfg.Loss == AnswerLoss:
		name += "-answer"
	default:
		name += "-best"
	}
	return name
}

// OwnPredictions is a name for Config.Rules: rules by which a paper follows the network
// and nothing else, so that completed labels are the network's own predictions.
const OwnPredictions = "own"

func ruleText(rules, file string) (name string, src []byte, err error) {
	if file == OwnPredictions {
		rules, file = file, ""
	}
	name = rules + ".psl"
	if file != "" {
		name = file
		src, err = os.ReadFile(file)
	} else {
		src, err = ruleFiles.ReadFile("rules/" + name)
	}
	if err != nil {
		return "", nil, &config.UsageError{Key: "rules", Problem: err.Error()}
	}
	return name, src, nil
}

// similar is the number of papers that a paper is stated to be similar to.
const similar = 5

// database holds the atoms of a graph: every paper's topic is a target, also
// where it is known, because what is known changes with the phase. Similar is
// stated where the rules ask for it.
func database(g *citation.Graph, rules *psl.Program) (*ground.Database, error) {
	b := ground.NewBuilder()
	facts := map[string][][2]int32{"Link": g.Links()}
	for _, r := range rules.Rules {
		for _, a := range r.Atoms() {
			if a.Predicate == "Similar" && facts["Similar"] == nil {
				facts["Similar"] = g.Similar(similar)
			}
		}
	}
	for _, pred := range []string{"HasCat", "Neural"} {
		b.Declare(pred, 2)
	}
	for _, paper := range g.IDs {
		for _, class := range g.Classes {
			b.Target("HasCat", paper, class)
			b.Deep("Neural", paper, class)
		}
	}
	for _, pred := range slices.Sorted(maps.Keys(facts)) {
		b.Declare(pred, 2)
		for _, l := range facts[pred] {
			b.Observe(pred, g.IDs[l[0]], g.IDs[l[1]])
		}
	}
	return b.DB, b.Err
}

// FixLabels fixes the topics of the given papers to their labels and frees all
// others.
func (s *Symbolic) FixLabels(in *lcqp.Instance, papers []int) error {
	in.FreeAll()
	for _, i := range papers {
		if i < 0 || i >= s.Papers {
			return fmt.Errorf("citation: paper %d of %d", i, s.Papers)
		}
		if err := s.fix(in, i, s.labels[i]); err != nil {
			return err
		}
	}
	return nil
}

func (s *Symbolic) fix(in *lcqp.Instance, paper, topic int) error {
	for c := range s.Classes {
		v := 0.0
		if c == topic {
			v = 1
		}
		if err := in.Fix(paper*s.Classes+c, v); err != nil {
			return err
		}
	}
	return nil
}

// Right counts the papers whose largest HasCat in y belongs to their label; the first of
// equal ones is the answer.
func (s *Symbolic) Right(y []float64, papers []int) int {
	right := 0
	for _, i := range papers {
		if nn.Argmax(y[i*s.Classes:(i+1)*s.Classes]) == s.labels[i] {
			right++
		}
	}
	return right
}
