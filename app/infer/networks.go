package infer

import (
	"errors"
	"fmt"
	"os"
	"time"

	"hinge/app/cli"
	"hinge/symbolic/model"
	"hinge/train"
	"hinge/train/modelfile"
)

// loadTrained reads the run of -weights, which a model with networks needs.
func (j *job) loadTrained() (err error) {
	deep := j.m.Data.DeepAtoms()
	switch {
	case deep > 0 && j.loss != "" && j.loss != learnNone:
		return cli.Usage("-learn: %s has networks; cmd/train -model learns them and the rules", j.m.File)
	case deep > 0 && j.weights == "":
		return cli.Usage("%s has networks: train them with cmd/train -model %s -out RUN, then give -weights RUN here", j.m.File, j.m.File)
	case deep == 0 && j.weights != "":
		return cli.Usage("-weights: %s has no predicate with a network in this partition; -rules takes learned rules", j.m)
	case deep == 0:
		return nil
	}
	j.progress.start("reading " + j.weights)
	j.trained, err = modelfile.LoadTrained(j.weights, func(text string) { j.warn("-weights: %s", text) })
	var usage *train.UsageError
	var data *train.DataError
	switch {
	case errors.As(err, &usage):
		return cli.Usage("-weights: %s", usage.Problem)
	case errors.As(err, &data):
		return &model.DataError{Err: fmt.Errorf("-weights: %w", err)}
	}
	return err
}

// trainedEpsilon is ε of the run of -weights, to which the weights of its rules are
// relative, or 0.
func (j *job) trainedEpsilon() float64 {
	if j.trained == nil {
		return 0
	}
	return j.trained.Config.Symbolic.Epsilon
}

// learnedWeights gives the rules the weights of the run.
func (j *job) learnedWeights() error {
	if j.trained == nil {
		return nil
	}
	w, err := j.trained.RuleWeights(j.program.Rules)
	if err != nil {
		return cli.Usage("-weights: %v", err)
	}
	for i := range j.program.Rules {
		j.program.Rules[i].Weight = w[i]
	}
	return nil
}

// runNetworks sets the neural outputs of the instance.
func (j *job) runNetworks() (err error) {
	if j.trained == nil {
		return nil
	}
	begin := time.Now()
	j.progress.start(fmt.Sprintf("running the networks for %s", count(j.m.Data.DeepAtoms(), "atom")))
	if j.outputs, err = j.trained.Outputs(j.m, os.Getenv("HINGE_DATA")); err != nil {
		return err
	}
	j.times.networks = time.Since(begin)
	return j.instance.SetDeep(j.outputs)
}
