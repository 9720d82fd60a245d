package half

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"hinge/nn"
	"hinge/train/checkpoint"
	"hinge/train/config"
	"hinge/train/learning"
)

// LoadWeights overwrites a network's parameters and statistics with the tensors of the same
// names in a file in the safetensors format or of torch.save (see nn.Params.Adopt and
// checkpoint.ParseWeights). Package resnet18 has torchvision's names.
// The result lists what was taken:
//
//	taken, err := half.LoadWeights("resnet18.safetensors", net.Params())
//	fmt.Println(taken)
//
// Tensors of integers are ignored. A file that cannot be read is a DataError, and so is a file
// without any tensor of the network.
func LoadWeights(path string, ps *nn.Params[float32]) (nn.Taken, error) {
	return loadWeights(path, "", ps)
}

// loadWeights is LoadWeights for the network of a name among several.
func loadWeights(path, name string, ps *nn.Params[float32]) (nn.Taken, error) {
	tensors, err := readWeights(path)
	if err != nil {
		return nn.Taken{}, err
	}
	taken, err := ps.Adopt(name, tensors)
	if err != nil {
		err = &learning.DataError{Err: fmt.Errorf("%s: %s%w", path, of(name), err)}
	}
	return taken, err
}

// readWeights reads the tensors of a file of weights that hold numbers with fractions.
func readWeights(path string) ([]nn.Tensor[float32], error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, &learning.DataError{Err: err}
	}
	file, err := checkpoint.ParseWeights(data)
	if err != nil {
		return nil, &learning.DataError{Err: fmt.Errorf("%s: %w", path, err)}
	}
	var list []nn.Tensor[float32]
	for _, name := range file.Names() {
		t, err := file.Tensor(name)
		if err != nil {
			return nil, &learning.DataError{Err: fmt.Errorf("%s: %w", path, err)}
		}
		x := nn.Tensor[float32]{Name: name, Shape: t.Shape}
		switch data := t.Data.(type) {
		case []float32:
			x.Data = data
		case []float64:
			for _, v := range data {
				x.Data = append(x.Data, float32(v))
			}
		default:
			continue
		}
		list = append(list, x)
	}
	return list, nil
}

// StartFrom implements Model. Each of several networks takes the tensors that fit it; a
// network that nothing fits keeps its weights.
func (n *Network) StartFrom(init string, note func(line string)) error {
	if init == "" {
		return nil
	}
	nets := n.nets()
	if len(nets) == 0 {
		return config.Usage("neural.init", "the network of this task takes no weights of a file; leave it out")
	}
	if err := cmp.Or(some(nets, func(net *NamedNet) error { return net.StartFrom(init, note) })...); err != nil {
		return &learning.DataError{Err: fmt.Errorf("neural.init: %w", err)}
	}
	return nil
}

// some does something with all networks. Where that fails for each of them it returns the errors.
func some(nets []NamedNet, do func(net *NamedNet) error) (failed []error) {
	for i := range nets {
		if err := do(&nets[i]); err != nil {
			failed = append(failed, err)
		}
	}
	if len(failed) < len(nets) {
		return nil
	}
	return failed
}

// StartFrom is Network.StartFrom for the one network.
func (n *NamedNet) StartFrom(file string, note func(line string)) error {
	taken, err := loadWeights(file, n.Name, n.Net.Params())
	if err != nil {
		return err
	}
	for line := range strings.Lines(taken.String()) {
		note(fmt.Sprintf("%s: %s%s", file, of(n.Name), strings.TrimSuffix(line, "\n")))
	}
	return nil
}

// Fix freezes parameters of new networks and sets learning rates of others, by the settings
// Freeze and Rates. With several networks the patterns begin with the network's name. Graphs
// are built afterwards.
func Fix(n *config.Neural, nets ...NamedNet) error {
	for _, pattern := range list(n.Freeze) {
		if err := every(nets, "neural.freeze", pattern, func(n *NamedNet) error { return n.Net.Params().Freeze(n.Name, pattern) }); err != nil {
			return err
		}
	}
	for _, rate := range list(n.Rates) {
		pattern, text, ok := strings.Cut(rate, "=")
		factor, err := strconv.ParseFloat(text, 64)
		if !ok || err != nil {
			return config.Usage("neural.rates", "%q is no PATTERN=FACTOR, such as layer1=0.1", rate)
		}
		if err := every(nets, "neural.rates", pattern, func(n *NamedNet) error { return n.Net.Params().SetRate(n.Name, pattern, factor) }); err != nil {
			return err
		}
	}
	return nil
}

func list(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
}

// every does something with the parameters of a pattern: in all networks that have some,
// or in the one whose name it begins with.
func every(nets []NamedNet, key, pattern string, do func(n *NamedNet) error) error {
	if i := slices.IndexFunc(nets, func(n NamedNet) bool { return n.Name != "" && strings.HasPrefix(pattern, n.Name+".") }); i >= 0 {
		nets = nets[i : i+1]
	}
	failed := some(nets, do)
	if failed == nil {
		return nil
	}
	var texts []string
	for _, err := range failed {
		texts = append(texts, strings.TrimPrefix(err.Error(), "nn: "))
	}
	return config.Usage(key, "%s", strings.Join(slices.Compact(texts), "; "))
}
