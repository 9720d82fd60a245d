package train

import (
	"fmt"

	"hinge/train/config"
	"hinge/train/learning"
)

// Open returns the settings of a run folder and its model with the tested weights in place,
// for programs that apply the model. data is the data root; each element of set is a KEY=VALUE
// that replaces a setting of the run. Warnings go to standard error.
func Open(tasks []learning.Task, dir, data string, set ...string) (config.Config, learning.Model, error) {
	o := &options{dir: dir, data: data, log: "text", eval: true}
	var changes []change
	for _, text := range set {
		c, err := newChange(text)
		if err != nil {
			return config.Config{}, nil, &config.UsageError{Key: "set", Problem: fmt.Sprintf("%q: %v", text, err)}
		}
		changes = append(changes, c)
	}
	if err := o.resolve(tasks, changes, nil, ""); err != nil {
		return config.Config{}, nil, err
	}
	model, err := o.tested()
	return o.config, model, err
}
