package citation

import (
	"hinge/train/config"
	"hinge/train/learning"
)

// Task is the learning.Task of the citation networks.
type Task struct{}

func (Task) Names() []string { return []string{"cora", "citeseer", "citation-demo"} }

// Defaults implements learning.Task. The loss is AnswerLoss unless named, with the recipe
// "paper" energy.
func (Task) Defaults(choice config.Config) (config.Config, error) {
	if !choice.NeuPSL() {
		return config.Config{}, config.Usage("system", "%s has no %q; its comparison systems are rows of table 5", choice.Task, choice.System)
	}
	switch {
	case choice.Loss != "":
	case choice.Recipe == "paper":
		choice.Loss = "energy"
	default:
		choice.Loss = AnswerLoss
	}
	return Defaults(choice.Task, choice.Loss, choice.Recipe), nil
}

func (Task) Open(cfg config.Config, data string) (learning.Model, error) {
	if _, err := config.OptionsOf[Options](&cfg); err != nil {
		return nil, err
	}
	return Open(cfg, data)
}
