package infer

import (
	"fmt"

	"hinge/app/cli"
	"hinge/app/infer/problem"
	"hinge/symbolic/psl"
	"hinge/train/modelfile"
)

// ablated is an entry of ablation in the output of -json. Network or Place and Rule are given;
// Metrics is left out where the inference did not end in time, or was interrupted.
type ablated struct {
	modelfile.Ablation
	Metrics metrics `json:"metrics,omitempty"`
}

// checkAblation refuses -ablate, before the solve, for a model that it means nothing for.
func (c *command) checkAblation(p *problem.Problem) error {
	if !c.Ablate {
		return nil
	}
	targets, err := integerTargets(c, p)
	switch {
	case err != nil:
		return err
	case len(p.Evaluations) == 0:
		return cli.Usage("-ablate: no predicate of %s has \"evaluations\", which it compares; add \"CategoricalEvaluator\", say", p.File)
	case p.Options.Skip || len(targets) > 0:
		return cli.Usage("-ablate: %s asks for no inference of values in [0, 1] (inference.skip, or integer predicates)", p.File)
	}
	return nil
}

// ablate infers again without each rule and network. After a signal it does nothing.
func (r *report) ablate(c *command) error {
	if r.interrupted {
		return nil
	}
	settings, _, err := r.Settings()
	if err != nil {
		return err
	}
	settings.MaxTime = c.Timeout
	c.Progress.Start(fmt.Sprintf("inferring without each of %s", psl.Count(len(r.Rules.Rules), "rule")))
	r.ablations, err = modelfile.Ablate(c.Stop.Ctx, r.Model, r.Instance, &r.Result, r.Outputs, r.Choices(settings)...)
	return err
}

// ablatedOf makes the entries of -json.
func ablatedOf(list []modelfile.Ablation) (out []ablated) {
	for _, a := range list {
		out = append(out, ablated{a, byName(a.Results)})
	}
	return out
}
