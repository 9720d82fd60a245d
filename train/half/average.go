package half

import (
	"hinge/train/config"
	"hinge/train/learning"
)

// Average makes a model's network answer with the networks of other models of its form, such as runs
// with other seeds: from then on its Forward returns the softmax of the mean of all logits. Rules
// and their weights stay the model's own. The error is a config.UsageError for the key beside
// where the networks of a model are several, or are not made of the Logits of one.
func Average(model learning.Model, others ...learning.Model) error {
	n, err := single(model)
	if err != nil {
		return err
	}
	for _, other := range others {
		o, err := single(other)
		if err != nil {
			return err
		}
		n.beside = append(n.beside, o)
	}
	return nil
}

// single returns a model's network.
func single(model learning.Model) (*Network, error) {
	if m, ok := model.Neural().(interface{ network() *Network }); ok {
		if n := m.network(); n.Net != nil && n.Logits != nil {
			return n, nil
		}
	}
	return nil, config.Usage("beside", "networks can be averaged where a task has one that ends in a softmax, not those of model files and citation networks; leave it out")
}

// network returns the network, also of a model that embeds it.
func (n *Network) network() *Network { return n }
