package bench

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/optimize"

	"hinge/symbolic/infer"
)

// beginning is what stands before the approach in the names of methods that are auto made to
// begin with it.
const beginning = "auto:"

// Approaches are the methods that [Calibrate] compares: auto, and auto made to begin with
// each of its approaches.
var Approaches = []string{infer.Auto{}.Name(), beginning + "ascent", beginning + "interior", beginning + "patches"}

// Method returns the inference method of a name of infer.Names or Approaches.
func Method(name string) (infer.Method, error) {
	if i := slices.Index(Approaches, name); i > 0 {
		return infer.Auto{Begin: []infer.Approach{infer.ByAscent, infer.ByInterior, infer.ByPatches}[i-1]}, nil
	}
	return infer.New(name)
}

// begun sums over the components of r what those were begun with that began as the largest did.
func begun(res *infer.Result) (sum infer.Choice) {
	largest := 0.0
	for i := range res.Components {
		if c := &res.Components[i].Choice; c.Features.Size > largest {
			largest, sum.Approach = c.Features.Size, c.Approach
		}
	}
	for i := range res.Components {
		if c := &res.Components[i].Choice; c.Approach == sum.Approach {
			sum.Seconds += c.Seconds
			sum.Features.Size += c.Features.Size
			sum.Features.Fill += c.Features.Fill
			sum.Features.Work += c.Features.Work
			sum.Features.Shape = max(sum.Features.Shape, c.Features.Shape)
		}
	}
	return sum
}

// Calibrate fits the table of costs of auto to rows of Approaches. A shape that no row has takes
// the rate of one with kinks.
func Calibrate(rows []Row) (c infer.Costs, err error) {
	for a, rates := range map[infer.Approach]*infer.Rates{
		infer.ByAscent: &c.Ascent, infer.ByInterior: &c.Interior, infer.ByPatches: &c.Patches,
	} {
		var terms [][unknowns]float64 // what each unknown adds, over the seconds
		seen := [len(rates)]bool{}
		for i := range rows {
			r, f := &rows[i], rows[i].Begun.Features
			if r.Begun.Approach != a || r.Status != "solved" || f.Size == 0 || r.Method == Approaches[0] {
				continue
			}
			t := [unknowns]float64{len(rates): f.Fill / r.cold(), f.Work / r.cold()}
			t[f.Shape], seen[f.Shape] = f.Size/r.cold(), true
			terms = append(terms, t)
			c.Machine, c.Date = r.Machine.String(), r.Date.Format("2006-01-02")
		}
		if !seen[infer.Kinked] {
			return c, fmt.Errorf("bench: nothing with kinks and many neighbours, such as knn-labels of 1e5 terms, was begun with %s", a)
		}
		x, err := fit(terms)
		if err != nil {
			return c, err
		}
		copy(rates[:], x[:])
		for shape := range rates {
			if !seen[shape] {
				rates[shape] = rates[infer.Kinked]
			}
		}
		if a == infer.ByInterior {
			c.Entry, c.Multiplication = x[len(rates)], x[len(rates)+1]
		}
	}
	return c, nil
}

// unknowns of an approach are its rates and those of a factor.
const unknowns = len(infer.Rates{}) + 2

// fit returns x ≥ 0 of the least Σ p + 1/p, p = t·x: a prediction may be half as well as twice
// what was measured. Where a column of t is zero, so is x.
func fit(terms [][unknowns]float64) (x [unknowns]float64, err error) {
	var most [unknowns]float64
	for _, t := range terms {
		for j, v := range t {
			most[j] = max(most[j], v)
		}
	}
	begin := make([]float64, unknowns) // logarithms of x
	for j, v := range most {
		if v > 0 {
			begin[j] = -math.Log(v * float64(unknowns))
		}
	}
	best, err := optimize.Minimize(optimize.Problem{Func: func(u []float64) (sum float64) {
		for i := range terms {
			p := 0.0
			for j, v := range u {
				p += terms[i][j] * math.Exp(v)
			}
			sum += p + 1/p
		}
		return sum
	}}, begin, nil, &optimize.NelderMead{})
	if err != nil {
		return x, fmt.Errorf("bench: no rates fit: %w", err)
	}
	for j, v := range best.X {
		if most[j] > 0 {
			x[j] = math.Exp(v)
		}
	}
	return x, nil
}

// WriteRegret prints, for each cell in which more than one approach ended and one was predicted, what each
// took and was predicted to take by c, and what the one that c chooses took over the shortest.
func WriteRegret(w io.Writer, rows []Row, c *infer.Costs) {
	logs, n, most, off := 0.0, 0, 1.0, 0.0
	seen := 0
	for i := range rows {
		if rows[i].Method != Approaches[0] {
			continue
		}
		text, best, chosen, predicted := "", math.Inf(1), 0.0, math.Inf(1)
		ended := 0
		for _, m := range Approaches[1:] {
			at := slices.IndexFunc(rows, func(r Row) bool {
				o := r.Cell
				o.Method = rows[i].Method
				return r.Method == m && o == rows[i].Cell && r.Machine == rows[i].Machine
			})
			if at < 0 || rows[at].Status != "solved" {
				continue
			}
			r := &rows[at]
			if want, _ := Method(m); r.Begun.Approach != want.(infer.Auto).Begin {
				continue // it cannot be begun with
			}
			p := c.Seconds(r.Begun.Approach, r.Begun.Features)
			text += fmt.Sprintf(" %s %.3g", strings.TrimPrefix(m, beginning), r.cold())
			if ended++; !math.IsInf(p, 1) {
				text += fmt.Sprintf(" (%.3g)", p)
				seen++
				off += math.Abs(math.Log(p / r.cold()))
			}
			best = min(best, r.cold())
			if p < predicted {
				chosen, predicted = r.cold(), p
			}
		}
		if ended < 2 || math.IsInf(predicted, 1) {
			continue
		}
		n++
		logs += math.Log(chosen / best)
		most = max(most, chosen/best)
		fmt.Fprintf(w, "%s %s:%s; ×%.2f\n", rows[i].Model, magnitude(rows[i].Size), text, chosen/best)
	}
	if n > 0 {
		fmt.Fprintf(w, "seconds (predicted), and what is chosen by the table over the fastest: mean ×%.2f, most ×%.2f of %d cells; predictions are off by a factor of %.2f in the mean\n",
			math.Exp(logs/float64(n)), most, n, math.Exp(off/float64(seen)))
	}
}
