package infer

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/app/cli"
	"hinge/app/infer/problem"
	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
)

// The differential test draws models, writes them as files, runs them through parser,
// loader, grounder and two methods, and compares with an oracle that shares none of
// it: the energy and the constraints by definition, over all bindings of all rules, and
// the optimum by trying a grid of points.

// differential runs the model of a seed and returns what is wrong with it, or "".
func differential(t testing.TB, dir string, seed uint64) (fault string) {
	defer func() {
		if r := recover(); r != nil {
			fault = fmt.Sprintf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	rng := rand.New(rand.NewPCG(seed, 77))
	d := drawModel(rng)
	path := d.write(t, dir, rng)
	solve := func(method string) (*solution, error) {
		o, err := problem.Parse([]string{"-model", path, "-quiet", "-epsilon", "1e-3", "-method", method, "-gap", "1e-9", "-threads", "1", "-learn=none"}, nil)
		if err != nil {
			return nil, err
		}
		return newCommand(o, quietStopper(), quietProgress(), io.Discard).upToSolve()
	}
	s, err := solve("auto")
	if err != nil {
		return err.Error()
	}
	// Rules that say what an earlier one says are left out.
	var kept []groundTerm
	for _, r := range s.Rules.Rules {
		at := r.Pos.Line - 1
		kept = append(kept, d.terms(d.rules[at])...)
	}
	y := make([]float64, len(d.targets))
	order := make([]int, len(d.targets)) // of the model's targets in ours
	for i, name := range s.Program.Targets {
		order[i] = slices.Index(d.targets, strings.ReplaceAll(name, ",", ", "))
	}
	ours := func(theirs []float64) []float64 {
		for i, v := range theirs {
			y[order[i]] = v
		}
		return y
	}
	// The ground program is the rules by definition, at random points.
	point := make([]float64, len(d.targets))
	for range 4 {
		for i := range point {
			point[i] = rng.Float64()
		}
		energy, violation := oracleValue(kept, ours(point))
		if e := s.Program.Energy(point, nil, nil); math.Abs(e-energy) > 1e-9*(1+energy) {
			return fmt.Sprintf("at %v the energy is %v, by definition %v", point, e, energy)
		}
		if v := s.Program.Violation(point, nil); math.Abs(v-violation) > 1e-9 {
			return fmt.Sprintf("at %v the violation is %v, by definition %v", point, v, violation)
		}
	}
	if s.Status == infer.Infeasible {
		if c := s.Certificate; c == nil || !(c.Margin(s.Instance) > 0) {
			return "infeasible without a proof"
		}
	} else if r := lcqp.Residuals(s.Instance, &s.Solution); !(r.Max() <= 1e-5) {
		return fmt.Sprintf("%v, residuals %+v", s.Status, r)
	}
	second := []string{"ipm", "bcd"}[rng.IntN(2)]
	k, err := solve(second)
	if err != nil {
		return err.Error()
	}
	if (k.Status == infer.Infeasible) != (s.Status == infer.Infeasible) {
		return fmt.Sprintf("auto: %v, %s: %v", s.Status, second, k.Status)
	}
	// A method may give up, if it says so.
	if k.Status.OK() && math.Abs(k.PrimalValue-s.PrimalValue) > 1e-6*(1+math.Abs(s.PrimalValue)) {
		return fmt.Sprintf("auto finds %v, %s %v (%v)", s.PrimalValue, second, k.PrimalValue, k.Status)
	}
	return d.bruteForce(s, kept)
}

// mutated changes a few bytes of one of the files and runs the model; what comes is an
// error or a solution. It returns what is wrong, or "".
func mutated(t testing.TB, dir string, seed uint64) (fault string) {
	defer func() {
		if r := recover(); r != nil {
			fault = fmt.Sprintf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	rng := rand.New(rand.NewPCG(seed, 78))
	path := drawModel(rng).write(t, dir, rng)
	names := []string{"model.json", "model.json", "rules.psl", "Po.txt", "Fo.txt", "Tt.txt", "To.txt"}
	name := filepath.Join(dir, names[rng.IntN(len(names))])
	text, err := os.ReadFile(name)
	if err != nil {
		return "" // all is in the model
	}
	pieces := []string{"\"", "[", "]", "{", "}", ",", ":", "\n", "\t", "&", "|", "->", "!", "+", "A", "'", "1e308", "-", "0", "|A|", "{A: P(A)}", "^2", ".", "\x00", "é", "#", "null", "true", "/*", "%", "1e-320", "@Max[1, 2]", "+A"}
	for range 1 + rng.IntN(4) {
		at := rng.IntN(len(text) + 1)
		switch rng.IntN(4) {
		case 0:
			text = slices.Insert(slices.Clone(text), at, []byte(pieces[rng.IntN(len(pieces))])...)
		case 1:
			end := min(len(text), at+1+rng.IntN(6))
			text = slices.Delete(slices.Clone(text), at, end)
		case 2:
			if at < len(text) {
				text = slices.Clone(text)
				text[at] = byte(rng.IntN(256))
			}
		default: // a stretch of the file twice
			end := min(len(text), at+rng.IntN(30))
			text = slices.Insert(slices.Clone(text), at, text[at:end]...)
		}
	}
	require.NoError(t, os.WriteFile(name, text, 0o666))
	o, err := problem.Parse([]string{"-model", path, "-json", "-quiet", "-max-groundings", "1000", "-threads", "1", "-learn=none"}, nil)
	if err != nil {
		return err.Error()
	}
	r, err := newCommand(o, quietStopper(), quietProgress(), io.Discard).run()
	if err != nil {
		if code := cli.ExitCode(err); code == 1 {
			return fmt.Sprintf("an internal error for a mistake of the user: %T: %v", err, err)
		}
		return ""
	}
	if !r.Status.OK() {
		return fmt.Sprintf("%v", r.Status)
	}
	return ""
}

// A few hundred of both; the long checks run many more.
func TestDifferential(t *testing.T) {
	dir := t.TempDir()
	for seed := range uint64(100) {
		if problem := differential(t, dir, seed); problem != "" {
			t.Fatalf("seed %d: %s\n%s", seed, problem, modelText(dir))
		}
		if problem := mutated(t, dir, seed); problem != "" {
			t.Fatalf("mutated, seed %d: %s\n%s", seed, problem, modelText(dir))
		}
	}
}

// modelText is what a report shows of a model.
func modelText(dir string) string {
	var b strings.Builder
	for _, name := range []string{"model.json", "rules.psl", "Po.txt", "Fo.txt", "To.txt", "Tt.txt", "Uo.txt", "Ut.txt"} {
		if text, err := os.ReadFile(filepath.Join(dir, name)); err == nil {
			fmt.Fprintf(&b, "-- %s --\n%s\n", name, text)
		}
	}
	return b.String()
}
