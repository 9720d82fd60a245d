// Command value measures V(w, g) from PyTorch: a step through hinge.torch.Value, what of it
// is not Go's own, and a batched interior point method written in PyTorch, on the latent
// programs of 15 additions of two-digit numbers, each for 32 draws of the outputs:
//
//	go run ./lab/value [-out FILE] [-python PROGRAM]
//
// It writes the programs, and the values and gradients that package bilevel has for them, to
// a temporary folder, and runs value.py, which grounds the same rules by the Python package,
// compares and measures in alternation. Without PyTorch it says so and ends well; it exits
// with 1 if a comparison or a measurement fails.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"

	"hinge/bilevel"
	"hinge/data/mnist"
	"hinge/symbolic/hlmrf"
	"hinge/symbolic/lcqp"
	"hinge/tasks/mnistadd"
	"hinge/train/half"
	"hinge/train/machine"
)

func main() {
	out := flag.String("out", "", "write the page to this `file` too")
	python := flag.String("python", "/usr/bin/python3", "`program` with PyTorch")
	flag.Parse()
	if err := run(*out, *python); err != nil {
		fmt.Fprintln(os.Stderr, "value:", err)
		os.Exit(1)
	}
}

func run(out, python string) error {
	if err := exec.Command(python, "-c", "import torch").Run(); err != nil {
		fmt.Printf("%s has no PyTorch, so there is nothing to measure. On Debian: apt-get install python3-torch\n", python)
		return nil
	}
	dir, err := os.MkdirTemp("", "value")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b, err := newBatch(15, 32)
	if err != nil {
		return err
	}
	text, err := json.Marshal(b)
	if err != nil {
		return err
	}
	file := filepath.Join(dir, "batch.json")
	if err := os.WriteFile(file, text, 0o666); err != nil {
		return err
	}
	infer := filepath.Join(dir, "infer")
	build := exec.Command("go", "build", "-o", infer, "./cmd/infer")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return fmt.Errorf("go build: %w", err)
	}
	cmd := exec.Command(python, "-B", filepath.Join("lab", "value", "value.py"), file, infer)
	cmd.Env = append(os.Environ(), "PYTHONPATH="+filepath.Join("app", "python"))
	cmd.Stderr = os.Stderr
	page, err := cmd.Output()
	fmt.Print(string(page))
	if err != nil || out == "" {
		return err
	}
	page = fmt.Appendf(page, "\nMeasured on %v; version %s.\n", machine.This(), machine.Version(context.Background()))
	return os.WriteFile(out, page, 0o666)
}

// batch is what value.py reads: the additions, their draws, what Go has for them, and the
// programs given their labels, for another solver.
type batch struct {
	Rules    string               `json:"rules"`
	Epsilon  float64              `json:"epsilon"`
	Draws    int                  `json:"draws"`
	Outputs  []string             `json:"outputs"`
	Labels   []map[string]float64 `json:"labels"`
	W        []float64            `json:"w"`
	G        []float64            `json:"g"`
	V        []float64            `json:"v"`
	Phi      [][]float64          `json:"phi"`
	DG       [][]float64          `json:"dg"`
	Programs []program            `json:"programs"`
}

// program is min Σ w·max(0, a·y + d·g + k) over the potentials, regularised, subject to the
// constraints, with the squares of the labels to be added times ε.
type program struct {
	Targets     int     `json:"targets"`
	Squares     float64 `json:"squares"`
	Potentials  []row   `json:"potentials"`
	Constraints []row   `json:"constraints"`
}

// row is sparse: columns and coefficients of targets and of outputs.
type row struct {
	Col   []int32   `json:"col"`
	Val   []float64 `json:"val"`
	Deep  []int32   `json:"deep"`
	DeepV []float64 `json:"deepv"`
	Const float64   `json:"const"`
	Rule  int32     `json:"rule"`
	Equal bool      `json:"equal"`
}

// newBatch draws additions and outputs, half-trained as in the benchmarks of package
// mnistadd, and solves them.
func newBatch(additions, draws int) (*batch, error) {
	const digits = 2
	sym, err := mnistadd.NewSymbolic(digits, "")
	if err != nil {
		return nil, err
	}
	b := &batch{Rules: filepath.Join("tasks", "mnistadd", "rules", "add2.psl"), Epsilon: bilevel.DefaultEpsilon, Draws: draws, Outputs: sym.Template.Program().Deep}
	if b.W, err = half.StartWeights(sym.Template); err != nil {
		return nil, err
	}
	f, err := bilevel.New(sym.Template, draws*additions, bilevel.Options{Condition: true})
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for a := range additions {
		sum := mnist.NewSum(rng.IntN(199), digits)
		for k := range draws {
			if err := sym.FixLabels(f.Instance(k*additions+a), sum); err != nil {
				return nil, err
			}
		}
		if err := b.addition(f.Instance(a)); err != nil {
			return nil, err
		}
	}
	for range f.Slots() * 2 * digits {
		b.G = append(b.G, gumbel(rng)...)
	}
	if err := f.Solve(b.W, b.G); err != nil {
		return nil, err
	}
	b.V = f.Values()
	for slot := range f.Slots() {
		phi, dg := f.SlotGradients(slot)
		b.Phi, b.DG = append(b.Phi, phi), append(b.DG, dg)
	}
	return b, nil
}

// addition adds the labels of an addition and its program given them.
func (b *batch) addition(in *lcqp.Instance) error {
	whole := in.Program()
	labels, given := make([]float64, in.Targets), map[string]float64{}
	squares := 0.0
	for i, low := range in.Lower {
		labels[i] = math.NaN()
		if low == in.Upper[i] {
			labels[i], given[whole.Targets[i]] = low, low
			squares += low * low
		}
	}
	c, err := whole.Condition(labels)
	if err != nil {
		return err
	}
	p := program{Targets: len(c.Program.Targets), Squares: squares}
	for k := range c.Program.Potentials.Len() {
		r := newRow(&c.Program.Potentials, k)
		r.Rule = c.Program.PotentialRule[k]
		if c.Program.Rules[r.Rule].Squared {
			return fmt.Errorf("rule %d is squared, which value.py does not solve", r.Rule)
		}
		p.Potentials = append(p.Potentials, r)
	}
	for k := range c.Program.Constraints.Len() {
		r := newRow(&c.Program.Constraints, k)
		r.Equal = c.Program.Relations[k] == hlmrf.Equal
		p.Constraints = append(p.Constraints, r)
	}
	b.Labels, b.Programs = append(b.Labels, given), append(b.Programs, p)
	return nil
}

func newRow(rows *hlmrf.Rows, k int) row {
	r := row{Const: rows.Const[k]}
	r.Col, r.Val = rows.Row(k)
	r.Deep, r.DeepV = rows.DeepRow(k)
	return r
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
