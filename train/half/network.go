// Package half has the halves of a learning.Model, which a model embeds: Network for the network,
// or several that learn together, and RuleLoss for a loss of package bilevel with its rule weights.
//
//	network, err := half.NewNetwork(&cfg, shape, rows, nn.Beliefs(logits, cfg.Sampling()), nil)
//	loss, err := half.NewRuleLoss(objective, network.Graph, weights)
//
// CompileRules grounds and compiles the rules of a task, StartWeights has the weights that
// learning starts from, and LoadWeights reads the first weights of a network from a file.
//
// Errors: a config.UsageError for rules and settings, a learning.DataError for files. A half is
// used by one goroutine at a time; layers and solvers are parallel inside.
package half

import (
	"cmp"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"

	"hinge/models/onnx"
	"hinge/nn"
	"hinge/optim"
	"hinge/train/checkpoint"
	"hinge/train/config"
	"hinge/train/learning"
)

// Network is a NeuralHalf: a model embeds it. The output of its last axis is
// [rows][classes].
type Network struct {
	// Net is the network; nil if there are Several. Logits is its part without the output
	// layer, or nil.
	Net    *nn.Net[float32]
	Logits nn.Definition[float32]
	// Several are networks that learn by one loss. Tensors of each have its name and a
	// point before their own.
	Several []NamedNet
	// Graph is the training graph, on which the model compiles its loss.
	Graph *nn.Graph[float32]
}

// NamedNet is one of several networks.
type NamedNet struct {
	Name   string
	Net    *nn.Net[float32]
	Logits nn.Definition[float32]
	// Meaning lists what inputs and outputs are, such as categories and classes. A checkpoint keeps it, and a
	// network of another meaning is not restored from it.
	Meaning []string
}

// meaning is the name of the tensor that holds Meaning.
const meaning = "meaning"

func (n *Network) nets() []NamedNet {
	if n.Net != nil {
		return []NamedNet{{Net: n.Net, Logits: n.Logits}}
	}
	return n.Several
}

// tensor is the name of one of the network's tensors in a checkpoint.
func (n *NamedNet) tensor(name string) string {
	if n.Name == "" {
		return name
	}
	return n.Name + "." + name
}

// of begins a text about the network of a name among several.
func of(name string) string {
	if name == "" {
		return ""
	}
	return "the network of " + name + ": "
}

// initStream is the stream of the seed from which the first parameters are drawn.
const initStream = 0x696e6974 // "init"

// NewNetwork draws a network's first parameters and makes its training graph of rows
// inputs of the given shape. A nil rng is one of the configuration's seed.
func NewNetwork(cfg *config.Config, shape []int, rows int, define nn.Definition[float32], rng *rand.Rand) (*Network, error) {
	if rng == nil {
		rng = rand.New(rand.NewPCG(cfg.Seed, initStream))
	}
	net, err := nn.New(shape, define, rng)
	if err != nil {
		return nil, err
	}
	net.State().Seed = cfg.Seed
	if err := Fix(&cfg.Neural, NamedNet{Net: net}); err != nil {
		return nil, err
	}
	graph, err := net.Graph(rows, true)
	return &Network{Net: net, Graph: graph}, err
}

// Run runs the training graph at a step; x are the inputs of all networks. Evaluations draw what they draw of the
// weights in a checkpoint, whatever step they follow.
func (n *Network) Run(step learning.Step, x []float32) error {
	for _, net := range n.nets() {
		state := net.Net.State()
		state.Step, state.Temperature = step.Stream(), step.Temperature
	}
	err := n.Graph.Run(x)
	for _, net := range n.nets() {
		net.Net.State().Step = 0 // noise of evaluations is that of a network that was just read, and of no shard
	}
	return err
}

// SyncBatchNorm implements Model; see nn.State.Sync.
func (n *Network) SyncBatchNorm(gather func(own []float64) (all []float64, err error)) {
	for _, net := range n.nets() {
		net.Net.State().Sync = gather
	}
}

// Forward returns the outputs of the one network for rows inputs in evaluation mode, at a
// temperature.
func (n *Network) Forward(x []float32, rows int, temperature float64) ([]float32, error) {
	n.Net.State().Temperature = temperature
	return n.Net.Forward(x, rows)
}

// Params implements Model. Gradients exist once a graph with a loss is compiled.
func (n *Network) Params() []optim.Param {
	learned, _ := n.arrays()
	return learned
}

func (n *Network) Buffers() []optim.Param {
	_, buffers := n.arrays()
	return buffers
}

func (n *Network) arrays() (learned, buffers []optim.Param) {
	for _, net := range n.nets() {
		l, b := NetworkParams(net.Net.Params())
		for _, list := range [][]optim.Param{l, b} {
			for i := range list {
				list[i].Name = net.tensor(list[i].Name)
			}
		}
		learned, buffers = append(learned, l...), append(buffers, b...)
	}
	return learned, buffers
}

func (n *Network) Export() (out []checkpoint.Tensor) {
	for _, net := range n.nets() {
		for _, t := range net.Net.Params().Export() {
			out = append(out, checkpoint.NewTensor(net.tensor(t.Name), t.Data, t.Shape...))
		}
		if text := []byte(strings.Join(net.Meaning, "\n")); len(text) > 0 {
			out = append(out, checkpoint.NewTensor(net.tensor(meaning), text))
		}
	}
	return out
}

func (n *Network) Import(get func(name string) (checkpoint.Tensor, error)) error {
	for _, net := range n.nets() {
		err := net.sameMeaning(get)
		if err == nil {
			err = restoreNetwork(net.Net.Params(), func(name string) (checkpoint.Tensor, error) { return get(net.tensor(name)) })
		}
		if err != nil {
			return fmt.Errorf("%s%w", of(net.Name), err)
		}
	}
	return nil
}

// sameMeaning returns an error if inputs or outputs were something else when the checkpoint was written. Checkpoints
// of earlier versions do not tell.
func (n *NamedNet) sameMeaning(get func(name string) (checkpoint.Tensor, error)) error {
	t, err := get(n.tensor(meaning))
	text, ok := t.Data.([]uint8)
	if err != nil || !ok {
		return nil
	}
	const end = "nothing more"
	now, learned := append(slices.Clone(n.Meaning), end), append(strings.Split(string(text), "\n"), end)
	for i := range min(len(now), len(learned)) {
		if now[i] != learned[i] {
			return fmt.Errorf("it learned %s, where there is %s now: name columns, categories and classes as it learned them, in their order", learned[i], now[i])
		}
	}
	return nil
}

// restoreNetwork takes a network's parameters and buffers out of tensors. An error names the
// tensor that is missing or of another kind or shape, and leaves the network as it was.
func restoreNetwork(ps *nn.Params[float32], get func(name string) (checkpoint.Tensor, error)) error {
	var in []nn.Tensor[float32]
	for _, p := range ps.All() {
		t, err := get(p.Name)
		if err != nil {
			return err
		}
		data, ok := t.Data.([]float32)
		if !ok {
			return fmt.Errorf("train: tensor %q holds %T, want []float32", p.Name, t.Data)
		}
		in = append(in, nn.Tensor[float32]{Name: p.Name, Shape: t.Shape, Data: data})
	}
	return ps.Import(in)
}

// NetworkParams returns the arrays of a network that are learned and those that
// its forward pass maintains, in the form of the optimisers: what Model.Params and
// Model.Buffers are to return. Gradients exist once a graph with a loss has been
// compiled.
func NetworkParams(ps *nn.Params[float32]) (learned, buffers []optim.Param) {
	for _, p := range ps.All() {
		o := optim.Param{Name: p.Name, Value: p.Value, Grad: p.Grad, Decay: p.Decay, Rate: p.Rate, Live: p.Live}
		switch {
		case p.Buffer:
			buffers = append(buffers, o)
		case p.Trainable:
			learned = append(learned, o)
		}
	}
	return learned, buffers
}

// ONNX implements Model: the networks to their logits.
func (n *Network) ONNX() (files []learning.ONNXFile, err error) {
	for _, net := range n.nets() {
		if net.Logits == nil {
			return nil, config.Usage("export", "the task does not say what the logits of its network are (half.Network.Logits); a file ending in .safetensors takes its weights")
		}
		name := cmp.Or(net.Name, "network")
		files = append(files, learning.ONNXFile{Name: net.Name, Write: func(w io.Writer) error {
			if err := onnx.Write(w, name, net.Net, net.Logits); err != nil {
				return config.Usage("export", "%s; a file ending in .safetensors takes the weights", strings.TrimPrefix(err.Error(), "onnx: "))
			}
			return nil
		}})
	}
	return files, nil
}
