package mapinfer

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"

	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
)

// The differential test draws models, writes them as files, runs them through parser,
// loader, grounder and two methods, and compares with an oracle that shares none of
// it: the energy and the constraints by definition, over all bindings of all rules, and
// the optimum by trying a grid of points.

// drawnAtom is an atom over variables (A, B, C) or constants ('a' …).
type drawnAtom struct {
	pred string
	args []string
}

func (a drawnAtom) String() string { return a.pred + "(" + strings.Join(a.args, ", ") + ")" }

// drawnLiteral is an atom of a clause, or with a coefficient a term of a sum.
type drawnLiteral struct {
	drawnAtom
	negated bool
	coef    float64
}

// drawnRule is a clause body → head or a sum rel bound.
type drawnRule struct {
	weight     float64 // of a soft rule
	hard       bool
	squared    bool
	body, head []drawnLiteral
	sum        []drawnLiteral
	rel        string
	bound      float64
	differ     bool // A != B
}

func (r *drawnRule) String() string {
	var b strings.Builder
	if !r.hard {
		fmt.Fprintf(&b, "%v: ", r.weight)
	}
	literals := func(ls []drawnLiteral, by string) {
		for i, l := range ls {
			if i > 0 {
				b.WriteString(by)
			}
			if l.negated {
				b.WriteByte('!')
			}
			b.WriteString(l.String())
		}
	}
	if r.sum != nil {
		for i, l := range r.sum {
			if i > 0 {
				b.WriteString(" + ")
			}
			fmt.Fprintf(&b, "%v * %s", l.coef, l)
		}
		fmt.Fprintf(&b, " %s %v", r.rel, r.bound)
	} else {
		literals(r.body, " & ")
		if r.differ {
			b.WriteString(" & A != B")
		}
		if len(r.body) > 0 {
			b.WriteString(" -> ")
		}
		literals(r.head, " | ")
	}
	switch {
	case r.hard:
		b.WriteString(" .")
	case r.squared:
		b.WriteString(" ^2")
	}
	return b.String()
}

// drawn is a model with its data.
type drawn struct {
	rules     []*drawnRule
	constants []string
	observed  map[string]float64 // by the text of the ground atom
	targets   []string
}

// drawModel draws a model. Of the predicates P/1 and F/2 are observed, T/1 and U/2
// open: all their atoms are there.
func drawModel(rng *rand.Rand) *drawn {
	d := &drawn{constants: []string{"a", "b", "c"}[:2+rng.IntN(2)], observed: map[string]float64{}}
	value := func() float64 { return []float64{0, 1, 1, 0.25, 0.75, 0.5}[rng.IntN(6)] }
	for _, x := range d.constants {
		if rng.IntN(4) > 0 {
			d.observed["P("+x+")"] = value()
		}
		d.openAtom(rng, "T("+x+")", value)
		for _, y := range d.constants {
			if rng.IntN(2) == 0 {
				d.observed["F("+x+", "+y+")"] = value()
			}
			if len(d.constants) == 2 {
				d.openAtom(rng, "U("+x+", "+y+")", value)
			}
		}
	}
	if len(d.targets) == 0 {
		delete(d.observed, "T(a)")
		d.targets = append(d.targets, "T(a)")
	}
	for range 1 + rng.IntN(4) {
		r := d.drawRule(rng)
		if n := len(d.rules); n > 0 && r.hard && r.sum != nil && r.sum[0].coef < 0 && !d.rules[n-1].hard && !d.rules[n-1].squared {
			r.sum[0].coef = 1 // in a file a minus would go on with the rule before
		}
		d.rules = append(d.rules, r)
	}
	return d
}

func (d *drawn) openAtom(rng *rand.Rand, atom string, value func() float64) {
	if rng.IntN(4) == 0 {
		d.observed[atom] = value()
	} else {
		d.targets = append(d.targets, atom)
	}
}

func (d *drawn) drawAtom(rng *rand.Rand, vars []string, preds ...string) drawnAtom {
	if len(d.constants) == 3 {
		preds = slices.DeleteFunc(slices.Clone(preds), func(p string) bool { return p == "U" })
	}
	a := drawnAtom{pred: preds[rng.IntN(len(preds))]}
	for range map[string]int{"P": 1, "T": 1, "F": 2, "U": 2}[a.pred] {
		arg := vars[rng.IntN(len(vars))]
		if rng.IntN(12) == 0 {
			arg = "'" + d.constants[rng.IntN(len(d.constants))] + "'"
		}
		a.args = append(a.args, arg)
	}
	return a
}

func (d *drawn) drawRule(rng *rand.Rand) *drawnRule {
	r := &drawnRule{weight: []float64{0.5, 1, 2, 3, 0.1}[rng.IntN(5)], squared: rng.IntN(2) == 0, hard: rng.IntN(6) == 0}
	if r.hard {
		r.squared = false
	}
	vars := []string{"A", "B", "C"}[:1+rng.IntN(3)]
	if rng.IntN(3) == 0 {
		r.rel = []string{"<=", ">=", "="}[rng.IntN(3)]
		r.bound = []float64{0, 0.5, 1, 0.75, -0.25}[rng.IntN(5)]
		for range 1 + rng.IntN(3) {
			r.sum = append(r.sum, drawnLiteral{drawnAtom: d.drawAtom(rng, vars, "T", "U", "T", "P", "F"), coef: []float64{1, -1, 2, 0.5, 0}[rng.IntN(5)]})
		}
		return r
	}
	for range rng.IntN(3) {
		r.body = append(r.body, drawnLiteral{drawnAtom: d.drawAtom(rng, vars, "P", "F", "T", "U"), negated: rng.IntN(5) == 0})
	}
	for range 1 + rng.IntN(2) {
		r.head = append(r.head, drawnLiteral{drawnAtom: d.drawAtom(rng, vars, "T", "U", "T"), negated: rng.IntN(3) == 0})
	}
	r.differ = len(r.body) > 0 && len(vars) > 1 && rng.IntN(3) == 0
	// Every variable stands in an atom that finds groundings.
	var free []string
	if r.differ {
		free = []string{"A", "B"}
	}
	for i, l := range append(slices.Clone(r.body), r.head...) {
		for _, v := range l.args {
			if v[0] != '\'' && l.negated == (i < len(r.body)) {
				free = append(free, v)
			}
		}
	}
	for i, l := range append(slices.Clone(r.body), r.head...) {
		if l.negated != (i < len(r.body)) {
			free = slices.DeleteFunc(free, func(v string) bool { return slices.Contains(l.args, v) })
		}
	}
	slices.Sort(free)
	for _, v := range slices.Compact(free) {
		r.body = append(r.body, drawnLiteral{drawnAtom: drawnAtom{"P", []string{v}}})
	}
	return r
}

// write writes the model: rules and data in it, or in files of their own.
func (d *drawn) write(t testing.TB, dir string, rng *rand.Rand) string {
	t.Helper()
	if old, _ := os.ReadDir(dir); len(old) > 1 {
		for _, f := range old {
			_ = os.Remove(filepath.Join(dir, f.Name()))
		}
	}
	file := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var rules []string
	for _, r := range d.rules {
		rules = append(rules, r.String())
	}
	source := `["` + strings.Join(rules, "\",\n\"") + `"]`
	if rng.IntN(2) == 0 {
		file("rules.psl", strings.Join(rules, "\n")+"\n")
		source = `"rules.psl"`
	}
	var predicates []string
	inline := rng.IntN(5) > 0
	for _, p := range []string{"P/1", "F/2", "T/1", "U/2"} {
		var observed, targets []string
		row := func(atom string) string {
			inner := atom[2 : len(atom)-1]
			return strings.ReplaceAll(inner, ", ", "\t")
		}
		for atom, v := range d.observed {
			if atom[0] == p[0] {
				observed = append(observed, row(atom)+"\t"+strconv.FormatFloat(v, 'g', -1, 64))
			}
		}
		slices.Sort(observed)
		for _, atom := range d.targets {
			if atom[0] == p[0] {
				targets = append(targets, row(atom))
			}
		}
		if inline {
			rows := func(list []string) string {
				for i, r := range list {
					list[i] = `["` + strings.ReplaceAll(r, "\t", `", "`) + `"]`
				}
				return "[" + strings.Join(list, ", ") + "]"
			}
			predicates = append(predicates, fmt.Sprintf(`"%s": {"observations": %s, "targets": %s}`, p, rows(observed), rows(targets)))
			continue
		}
		file(p[:1]+"o.txt", strings.Join(observed, "\n"))
		file(p[:1]+"t.txt", strings.Join(targets, "\n"))
		predicates = append(predicates, fmt.Sprintf(`"%s": {"observations": ["%[2]so.txt"], "targets": ["%[2]st.txt"]}`, p, p[:1]))
	}
	file("model.json", `{"rules": `+source+`, "predicates": {`+strings.Join(predicates, ", ")+`}, "options": {"inference.normalize": false}}`)
	return filepath.Join(dir, "model.json")
}

// groundTerm is a ground rule by definition: weight·max(0, value)^p, or a constraint.
type groundTerm struct {
	rule   *drawnRule
	coef   []float64 // by target
	offset float64
	equal  bool
}

// bindings calls yield with every assignment of constants to the variables of a rule.
func (d *drawn) bindings(atoms []drawnLiteral, yield func(bind map[string]string)) {
	var vars []string
	for _, a := range atoms {
		for _, v := range a.args {
			if v[0] != '\'' && !slices.Contains(vars, v) {
				vars = append(vars, v)
			}
		}
	}
	bind := map[string]string{}
	var rec func(i int)
	rec = func(i int) {
		if i == len(vars) {
			yield(bind)
			return
		}
		for _, c := range d.constants {
			bind[vars[i]] = c
			rec(i + 1)
		}
	}
	rec(0)
}

func (a *drawnAtom) ground(bind map[string]string) string {
	args := make([]string, len(a.args))
	for i, v := range a.args {
		if v[0] == '\'' {
			args[i] = v[1 : len(v)-1]
		} else {
			args[i] = bind[v]
		}
	}
	return a.pred + "(" + strings.Join(args, ", ") + ")"
}

// terms are the ground rules of a rule.
func (d *drawn) terms(r *drawnRule) (list []groundTerm) {
	if r.sum != nil {
		d.bindings(r.sum, func(bind map[string]string) { list = append(list, d.sumTerm(r, bind)...) })
		return list
	}
	all := append(slices.Clone(r.body), r.head...)
	d.bindings(all, func(bind map[string]string) {
		if r.differ && bind["A"] == bind["B"] {
			return
		}
		// The clause forbids the body and the negated head.
		var forbidden []drawnLiteral
		seen := map[string]bool{}
		for i, l := range all {
			l.negated = l.negated != (i >= len(r.body))
			if text := fmt.Sprint(l.negated, l.drawnAtom); !seen[text] { // a literal counts once
				seen[text] = true
				forbidden = append(forbidden, l)
			}
		}
		g := groundTerm{rule: r, coef: make([]float64, len(d.targets)), offset: 1}
		signs := map[int]float64{}
		hasTarget := false
		for _, l := range forbidden {
			atom := l.ground(bind)
			sign := 1.0
			if l.negated {
				sign = -1
			}
			if i := slices.Index(d.targets, atom); i >= 0 {
				hasTarget = true
				if signs[i] == -sign {
					return // an atom and its negation
				}
				signs[i] = sign
				g.coef[i] += sign
			} else {
				v := d.observed[atom]
				if l.negated && v >= 1-1e-4 || !l.negated && v <= 1e-4 {
					return // satisfied
				}
				g.offset += sign * v
			}
			if !l.negated {
				g.offset--
			}
		}
		if hasTarget {
			list = append(list, g)
		}
	})
	return list
}

// sumTerm is a ground rule of a sum; an equality of a soft rule is two.
func (d *drawn) sumTerm(r *drawnRule, bind map[string]string) []groundTerm {
	g := groundTerm{rule: r, coef: make([]float64, len(d.targets)), offset: -r.bound}
	sign := map[int]float64{}
	hasTarget, opposed := false, false
	for _, l := range r.sum {
		atom := l.ground(bind)
		if i := slices.Index(d.targets, atom); i >= 0 {
			s := 0.0
			if l.coef != 0 {
				s = math.Copysign(1, l.coef)
			}
			if before, ok := sign[i]; ok && before != s {
				opposed = true
			}
			hasTarget, sign[i] = true, s
			g.coef[i] += l.coef
			continue
		}
		v, ok := d.observed[atom]
		if !ok {
			return nil // every atom of a sum must be there
		}
		g.offset += l.coef * v
	}
	if !hasTarget || opposed && !r.hard {
		return nil
	}
	negative := groundTerm{rule: r, coef: make([]float64, len(d.targets)), offset: -g.offset}
	for i, a := range g.coef {
		negative.coef[i] = -a
	}
	switch {
	case r.rel == "<=":
		return []groundTerm{g}
	case r.rel == ">=":
		return []groundTerm{negative}
	case r.hard:
		g.equal = true
		return []groundTerm{g}
	}
	return []groundTerm{g, negative}
}

// at is the value of the term before max(0, ·).
func (g *groundTerm) at(y []float64) float64 {
	v := g.offset
	for i, a := range g.coef {
		v += a * y[i]
	}
	return v
}

// value returns energy and largest violation of a point.
func oracleValue(all []groundTerm, y []float64) (energy, violation float64) {
	for i := range all {
		g := &all[i]
		v := g.at(y)
		switch {
		case g.rule.hard && g.equal:
			violation = max(violation, math.Abs(v))
		case g.rule.hard:
			violation = max(violation, v)
		case v <= 0:
		case g.rule.squared:
			energy += g.rule.weight * v * v
		default:
			energy += g.rule.weight * v
		}
	}
	return energy, violation
}

// differential runs the model of a seed and returns what is wrong with it, or "".
func differential(t testing.TB, dir string, seed uint64) (problem string) {
	defer func() {
		if r := recover(); r != nil {
			problem = fmt.Sprintf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	rng := rand.New(rand.NewPCG(seed, 77))
	d := drawModel(rng)
	path := d.write(t, dir, rng)
	solve := func(method string) (*job, error) {
		o, err := parse([]string{"-model", path, "-quiet", "-epsilon", "1e-3", "-method", method, "-gap", "1e-9", "-threads", "1", "-learn=none"}, nil)
		if err != nil {
			return nil, err
		}
		j := newJob(o, quietStopper(), quietProgress(), new(discard))
		for _, step := range []func() error{j.load, j.ground, j.solve} {
			if err := step(); err != nil {
				return nil, err
			}
		}
		return j, nil
	}
	j, err := solve("auto")
	if err != nil {
		return err.Error()
	}
	// Rules that say what an earlier one says are left out.
	var kept []groundTerm
	for _, r := range j.m.Rules.Rules {
		at := r.Pos.Line - 1
		kept = append(kept, d.terms(d.rules[at])...)
	}
	y := make([]float64, len(d.targets))
	order := make([]int, len(d.targets)) // of the model's targets in ours
	for i, name := range j.program.Targets {
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
		if e := j.program.Energy(point, nil, nil); math.Abs(e-energy) > 1e-9*(1+energy) {
			return fmt.Sprintf("at %v the energy is %v, by definition %v", point, e, energy)
		}
		if v := j.program.Violation(point, nil); math.Abs(v-violation) > 1e-9 {
			return fmt.Sprintf("at %v the violation is %v, by definition %v", point, v, violation)
		}
	}
	if j.result.Status == infer.Infeasible {
		if c := j.result.Certificate; c == nil || !(c.Margin(j.instance) > 0) {
			return "infeasible without a proof"
		}
	} else if r := lcqp.Residuals(j.instance, &j.result.Solution); !(r.Max() <= 1e-5) {
		return fmt.Sprintf("%v, residuals %+v", j.result.Status, r)
	}
	second := []string{"ipm", "bcd"}[rng.IntN(2)]
	k, err := solve(second)
	if err != nil {
		return err.Error()
	}
	if (k.result.Status == infer.Infeasible) != (j.result.Status == infer.Infeasible) {
		return fmt.Sprintf("auto: %v, %s: %v", j.result.Status, second, k.result.Status)
	}
	// A method may give up, if it says so.
	if k.result.Status.OK() && math.Abs(k.result.PrimalValue-j.result.PrimalValue) > 1e-6*(1+math.Abs(j.result.PrimalValue)) {
		return fmt.Sprintf("auto finds %v, %s %v (%v)", j.result.PrimalValue, second, k.result.PrimalValue, k.result.Status)
	}
	return d.bruteForce(j, kept)
}

// bruteForce compares with the best feasible point of a grid. The regularised value of
// a point is at most its energy, ε for each target and ε·v² for each row.
func (d *drawn) bruteForce(j *job, all []groundTerm) string {
	n := len(d.targets)
	steps := []int{0, 100, 20, 8, 4}
	if n >= len(steps) {
		return ""
	}
	y := make([]float64, n)
	best := math.Inf(1)
	var rec func(i int)
	rec = func(i int) {
		if i < n {
			for k := range steps[n] + 1 {
				y[i] = float64(k) / float64(steps[n])
				rec(i + 1)
			}
			return
		}
		energy, violation := oracleValue(all, y)
		if violation > 1e-9 {
			return
		}
		slack := 0.0
		for g := range all {
			if v := max(all[g].at(y), 0); !all[g].rule.hard {
				slack += v * v
			}
		}
		for _, v := range y {
			slack += v * v
		}
		best = min(best, energy+1e-3*slack)
	}
	rec(0)
	switch {
	case j.result.Status == infer.Infeasible && !math.IsInf(best, 1):
		return fmt.Sprintf("infeasible, but a point has %v", best)
	case j.result.Status != infer.Infeasible && j.result.PrimalValue > best+1e-7:
		return fmt.Sprintf("the optimum is %v, a point has %v", j.result.PrimalValue, best)
	}
	return ""
}

// mutate changes a few bytes of one of the files and runs the model; what comes is an
// error or a solution. It returns what is wrong, or "".
func mutated(t testing.TB, dir string, seed uint64) (problem string) {
	defer func() {
		if r := recover(); r != nil {
			problem = fmt.Sprintf("panic: %v\n%s", r, debug.Stack())
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
	if err := os.WriteFile(name, text, 0o666); err != nil {
		t.Fatal(err)
	}
	o, err := parse([]string{"-model", path, "-json", "-quiet", "-max-groundings", "1000", "-threads", "1", "-learn=none"}, nil)
	if err != nil {
		return err.Error()
	}
	j := newJob(o, quietStopper(), quietProgress(), new(discard))
	if err := j.run(); err != nil {
		if code := exitCode(err); code == 1 {
			return fmt.Sprintf("an internal error for a mistake of the user: %T: %v", err, err)
		}
		return ""
	}
	if !j.result.Status.OK() {
		return fmt.Sprintf("%v", j.result.Status)
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
