package bilevel

import "fmt"

// State returns everything the objective remembers, to be saved between two
// steps: the solver states of every loss, and of the bilevel losses points,
// slacks, multipliers, the sums of the current epoch and the scalars ι, μ, ω,
// σ. A restored objective goes on bit for bit.
func (o *Objective) State() []Array {
	var out []Array
	for _, b := range o.banks() {
		out = append(out, b.bank.arrays()...)
	}
	if o.lag == nil {
		return out
	}
	for _, a := range o.arrays() {
		out = append(out, Array{a.name, []int{len(a.data)}, a.data})
	}
	return append(out, Array{"bilevel/scalars", []int{scalars}, o.outer.pack()})
}

// SetState copies a saved state in. get returns the array of a name; one that
// is missing or of another length is an error.
func (o *Objective) SetState(get func(name string) ([]float64, error)) error {
	for _, b := range o.banks() {
		if err := b.bank.restore(get); err != nil {
			return err
		}
	}
	if o.lag == nil {
		return nil
	}
	for _, a := range o.arrays() {
		data, err := get(a.name)
		if err != nil {
			return err
		}
		if len(data) != len(a.data) {
			return fmt.Errorf("bilevel: array %s has %d elements, want %d", a.name, len(data), len(a.data))
		}
		copy(a.data, data)
	}
	data, err := get("bilevel/scalars")
	if err != nil {
		return err
	}
	return o.outer.unpack(data)
}

type namedArray struct {
	name string
	data []float64
}

// arrays lists what the bilevel losses keep beside the solver states. The
// slices are the objective's own.
func (o *Objective) arrays() []namedArray {
	return []namedArray{
		{"bilevel/points", o.points},
		{"bilevel/slacks", o.slacks},
		{"bilevel/multipliers", o.multipliers},
		{"bilevel/residuals", o.residuals},
		{"bilevel/fresh", o.fresh},
		{"bilevel/gaps", o.gaps},
		{"bilevel/outputs", o.outputs},
		{"bilevel/visited", o.visited},
		{"bilevel/epoch_weights", o.outer.weights},
		{"bilevel/epoch_gradient", o.outer.gradient},
	}
}

// scalars is the number of scalars of the outer loops.
const scalars = 16

// pack writes the scalars in a fixed order; counters are exact in float64.
func (u *outer) pack() []float64 {
	flag := func(b bool) float64 {
		if b {
			return 1
		}
		return 0
	}
	return []float64{
		flag(u.started), flag(u.done), u.iota, u.penalty, u.omega, u.sigma,
		float64(u.epochs), float64(u.rounds), float64(u.inner), float64(u.steps),
		u.deltaY, u.deltaS, u.movedY, u.movedG, u.visits, flag(u.fixed),
	}
}

func (u *outer) unpack(x []float64) error {
	if len(x) != scalars {
		return fmt.Errorf("bilevel: %d scalars of state, want %d", len(x), scalars)
	}
	u.started, u.done = x[0] != 0, x[1] != 0
	u.iota, u.penalty, u.omega, u.sigma = x[2], x[3], x[4], x[5]
	u.epochs, u.rounds, u.inner, u.steps = int(x[6]), int(x[7]), int(x[8]), int(x[9])
	u.deltaY, u.deltaS, u.movedY, u.movedG, u.visits = x[10], x[11], x[12], x[13], x[14]
	u.fixed = x[15] != 0
	return nil
}
