package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"hinge/bilevel"
	"hinge/data/mnist"
	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
	"hinge/tasks/mnistadd"
)

var layerBatches = []int{1, 32, 256}

// Errors up to which a layer's values, relative to 1 plus the largest, and gradients count.
const (
	valueTolerance    = 1e-4
	gradientTolerance = 1e-2
)

// layers is a program as a layer of a network.
var layers = question{
	name: "layers", title: "A layer: value and gradient",
	about: "V(g) = min over y of the energy of MNIST-Add1 and MNIST-Add2 at the outputs g of a network, and its gradient by g, forward and backward, for batches of outputs that are half trained. Seconds are of a batch. " +
		"Hinge is called from Go and through its Python package (`hinge.torch.Value`). The reference of both errors is Hinge at a gap of 10⁻¹², every solution of which `lcqp.Residuals` has confirmed; " +
		fmt.Sprintf("an answer counts if its values are right to %.0e of 1 + |V| and its gradients to %.0e. Tolerances are Hinge's default and for the others 10⁻⁶.", valueTolerance, gradientTolerance),
	behind: "No peer is ahead. Through Clarabel the gradients of one batch are wrong, through SCS they are right. " +
		"qpth factorises dense matrices of all inequalities of each program of a batch. Hinge's errors of 0 say that its default and the reference end in the same point, bit for bit; " +
		"that the point is right is what `lcqp.Residuals` and the peers' answers confirm.",
	unequal: "Hinge solves a program of sparse rows that it knows; cvxpylayers and qpth differentiate any program by any of its numbers, and return its solution, not only its value.",
	groups: func(quick bool) []group {
		digits, batches := []int{1, 2}, layerBatches
		if quick {
			digits, batches = digits[:1], []int{1, 4}
		}
		var list []group
		for _, d := range digits {
			text := fmt.Sprint(d)
			g := group{name: "MNIST-Add" + text, threads: 1, prepare: func(ctx context.Context, dir string) (judge, error) { return prepareLayer(ctx, dir, d) }}
			for _, b := range batches {
				g.cases = append(g.cases, ask{fmt.Sprintf("batch %d", b), fmt.Sprint(b)})
			}
			g.sides = []side{
				{name: "Hinge, Go", args: []string{"layers", text, "DIR"}},
				{name: "Hinge, Python", env: "torch", args: []string{"layers.py", "hinge", "DIR"}, own: true},
				{name: "cvxpylayers, Clarabel", env: "cvxpylayers", args: []string{"layers.py", "clarabel", "DIR"}},
				{name: "cvxpylayers, SCS", env: "cvxpylayers", args: []string{"layers.py", "scs", "DIR"}},
				{name: "qpth", env: "qpth", args: []string{"layers.py", "qpth", "DIR"}},
			}
			list = append(list, g)
		}
		return list
	},
}

// outputs draws outputs of networks for a largest batch.
func outputs(t *lcqp.Template) []float64 {
	rng := rand.New(rand.NewPCG(1, 1))
	most := layerBatches[len(layerBatches)-1]
	var g []float64
	for range most * t.Deep / mnist.Classes {
		g = append(g, gumbel(rng)...)
	}
	return g
}

// gumbel is a draw of the outputs for an image, whose logits favour one digit.
func gumbel(rng *rand.Rand) []float64 {
	row, hot, total := make([]float64, mnist.Classes), rng.IntN(mnist.Classes), 0.0
	for x := range row {
		row[x] = 1 / rng.ExpFloat64()
		if x == hot {
			row[x] *= math.Exp(3)
		}
		total += row[x]
	}
	for x := range row {
		row[x] /= total
	}
	return row
}

// prepareLayer writes the program of an addition, outputs, and what the Python package needs.
func prepareLayer(ctx context.Context, dir string, digits int) (judge, error) {
	sym, err := mnistadd.NewSymbolic(digits, "")
	if err != nil {
		return nil, err
	}
	t := sym.Template
	in, err := t.NewInstance(bilevel.DefaultEpsilon)
	if err != nil {
		return nil, err
	}
	root, err := repository()
	if err != nil {
		return nil, err
	}
	g := outputs(t)
	about := map[string]any{"outputs": t.Program().Deep, "epsilon": in.Epsilon, "digits": digits,
		"rules": filepath.Join(root, "tasks", "mnistadd", "rules", fmt.Sprintf("add%d.psl", digits))}
	err = errors.Join(pythonPackage(ctx, dir, about), writeProgram(dir, in, in.B),
		write(dir, "deep_ptr", t.DeepPtr), write(dir, "deep_col", t.DeepCol), write(dir, "deep_val", t.DeepVal), write(dir, "g", g))
	if err != nil {
		return nil, err
	}
	most := len(g) / t.Deep
	f, err := bilevel.New(t, most, bilevel.Options{Check: true, Solver: infer.Settings{GapTolerance: 1e-12}})
	if err != nil {
		return nil, err
	}
	if err := f.Solve(in.Weights, g); err != nil {
		return nil, err
	}
	v, dg := append([]float64(nil), f.Values()...), make([]float64, 0, len(g))
	for slot := range most {
		_, d := f.SlotGradients(slot)
		dg = append(dg, d...)
	}
	return func(name string, c ask, a *answer) (string, error) {
		return judgeLayer(filepath.Join(dir, fileName(name)), c, a, v, dg)
	}, nil
}

// fileName is the name of the file of a side's answers.
func fileName(side string) string {
	return strings.ToLower(strings.NewReplacer("Hinge, Python", "hinge", "cvxpylayers, ", "").Replace(side))
}

// judgeLayer compares an answer, values and then gradients, with the right ones of larger batches.
func judgeLayer(path string, c ask, a *answer, v, dg []float64) (string, error) {
	n, err := strconv.Atoi(c.line)
	if err != nil {
		return "", err
	}
	got, err := readFloats(path)
	deep := len(dg) / len(v)
	if err == nil && len(got) != n*(1+deep) {
		err = fmt.Errorf("%s: %d numbers, want %d values and as many gradients by %d outputs", path, len(got), n, deep)
	}
	if err != nil {
		return "", err
	}
	var far, steep, large float64
	for i := range n {
		large = max(large, math.Abs(v[i]))
		far = worse(far, got[i]-v[i])
	}
	for i := range n * deep {
		steep = worse(steep, got[n+i]-dg[i])
	}
	a.Figures = map[string]float64{"error of V": far, "error of the gradient": steep}
	switch {
	case !(far <= valueTolerance*(1+large)):
		return fmt.Sprintf("values are off by %.1e", far), nil
	case !(steep <= gradientTolerance):
		return fmt.Sprintf("gradients are off by %.1e", steep), nil
	}
	return "", nil
}

// worse is the larger of a and |b|; NaN is the largest.
func worse(a, b float64) float64 {
	if math.IsNaN(b) || math.Abs(b) > a {
		return math.Abs(b)
	}
	return a
}

// repository is the root of Hinge's source, the folder of the go.mod above the laboratory's.
func repository() (string, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "hinge").Output()
	if err != nil {
		return "", fmt.Errorf("go list: %w: start the command in a clone of the repository", err)
	}
	return strings.TrimSpace(string(out)), nil
}

// pythonPackage builds infer in a folder, and writes where it and Hinge's Python package are, and
// what else the scripts want to know, to about.json there.
func pythonPackage(ctx context.Context, dir string, about map[string]any) error {
	root, err := repository()
	if err != nil {
		return err
	}
	about["python"], about["infer"] = filepath.Join(root, "app", "python"), filepath.Join(dir, "infer")
	text, err := json.Marshal(about)
	if err != nil {
		return err
	}
	build := exec.CommandContext(ctx, "go", "build", "-o", filepath.Join(dir, "infer"), "./cmd/infer")
	build.Dir, build.Stderr = root, os.Stderr
	return errors.Join(build.Run(), os.WriteFile(filepath.Join(dir, "about.json"), text, 0o666))
}

func init() { servers["layers"] = openLayers }

// openLayers computes values and gradients: its arguments are the number of digits and the folder
// for answers.
func openLayers(args []string) (func([]string, float64) (answer, error), error) {
	digits, err := strconv.Atoi(args[0])
	if err != nil {
		return nil, err
	}
	sym, err := mnistadd.NewSymbolic(digits, "")
	if err != nil {
		return nil, err
	}
	t := sym.Template
	g, functions := outputs(t), map[int]*bilevel.ValueFunction{}
	return func(words []string, seconds float64) (answer, error) {
		n, err := strconv.Atoi(words[0])
		if err != nil {
			return answer{}, err
		}
		f := functions[n]
		if f == nil {
			if f, err = bilevel.New(t, n, bilevel.Options{}); err != nil {
				return answer{}, err
			}
			functions[n] = f
		}
		in, out := f.Instance(0), make([]float64, n*(1+t.Deep))
		a, err := repeat(seconds, func() error {
			if err := f.Solve(in.Weights, g[:n*t.Deep]); err != nil {
				return err
			}
			copy(out, f.Values())
			for slot := range n {
				_, d := f.SlotGradients(slot)
				copy(out[n+slot*t.Deep:], d)
			}
			return nil
		})
		return a, errors.Join(err, write(args[1], fileName("Hinge, Go"), out))
	}, nil
}
