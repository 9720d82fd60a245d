package citation

import "hinge/train"

// Task is the citation networks by name.
type Task struct{}

// Names implements train.Task.
func (Task) Names() []string { return []string{"cora", "citeseer", "citation-demo"} }

// Defaults implements train.Task. The loss is AnswerLoss unless named, with the recipe
// "paper" energy.
func (Task) Defaults(choice train.Config) (train.Config, error) {
	if !choice.NeuPSL() {
		return train.Config{}, train.Usage("system", "%s has no %q; its comparison systems are rows of table 5", choice.Task, choice.System)
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

// Open implements train.Task.
func (Task) Open(cfg train.Config, data string) (train.Model, error) {
	if _, err := train.OptionsOf[Options](&cfg); err != nil {
		return nil, err
	}
	return Open(cfg, data)
}
