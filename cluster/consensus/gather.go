package consensus

import (
	"math"
	"slices"

	"hinge/optim/collective"
	"hinge/symbolic/hlmrf"
	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
)

// gathered is a part of the program that lies in several ranks and is solved as one, piece
// by piece, each on one rank that is sent the rows of the others.
type gathered struct {
	// targets and rows are by rank this rank's, increasing, that are solved there; held
	// counts the places among the targets of those that stay where they are.
	targets, rows, held [][]int32

	// The problem that is solved here, nil if there is none, with the place in it of each
	// target, held target and row, by the rank that has it and in its order.
	in                  *lcqp.Instance
	target, heldAt, row [][]int32
	res                 infer.Result
	warm                infer.Warm
	answers             [][]float64 // by rank that solved: values of targets, multipliers of rows
}

// pieces finds the connected pieces of the program that this rank's parts belong to: two
// parts, also of different ranks, are in one piece if a chain of shared targets joins them.
// of[i] is the part at position i, rows[k] the number of rows of part k. For each part pieces
// returns the size of its piece and its home rank, −1 for parts without shared targets; n is
// the number of pieces that several ranks have. The home is the last rank that has at least
// half as many rows of the piece as the rank with the most: along a chain of ranks, each of
// which borders on the next, every rank but the first is home to one piece.
func (st *state) pieces(of []int32, rows []float64) (size []float64, home []int, n int, err error) {
	label := make([]float64, len(rows)) // rank·2³¹ + part, of the first part of a piece
	for k := range label {
		label[k] = math.Ldexp(float64(st.c.Rank()), 31) + float64(k)
	}
	for changed := []float64{1}; changed[0] > 0; {
		changed[0] = 0
		own := make([]float64, len(of))
		for p, k := range of {
			own[p] = label[k]
		}
		err := st.links.each(own, func(_ int, p int32, v float64) {
			if k := of[p]; v < label[k] {
				label[k], changed[0] = v, 1
			}
		})
		if err != nil {
			return nil, nil, 0, err
		}
		if err := collective.Sum(st.c, changed); err != nil {
			return nil, nil, 0, err
		}
	}
	spans := make([]bool, len(rows))
	for _, k := range of {
		spans[k] = true
	}
	var own []float64
	for k, n := range rows {
		if spans[k] {
			own = append(own, label[k], n)
		}
	}
	all, err := collective.Gather(st.c, own)
	if err != nil {
		return nil, nil, 0, err
	}
	by := map[float64][]float64{} // rows of each rank by piece
	for r, list := range all {
		for ; len(list) > 0; list = list[2:] { // a rank may have several parts of a piece
			if by[list[0]] == nil {
				by[list[0]] = make([]float64, st.c.Size())
			}
			by[list[0]][r] += list[1]
		}
	}
	size, home = make([]float64, len(rows)), make([]int, len(rows))
	for k, l := range label {
		if home[k] = -1; !spans[k] {
			continue
		}
		most := slices.Max(by[l])
		for r, n := range by[l] {
			if size[k] += n; n >= most/2 {
				home[k] = r
			}
		}
	}
	return size, home, len(by), nil
}

// gather sends rows, which are increasing, to the ranks that are to solve them. of gives the
// part that a target belongs to, −1 for those that are held, and home the rank that solves a
// part. Every row has a target that is not held.
func (st *state) gather(rows []int32, of func(target int32) int32, home []int) (*gathered, error) {
	in, n := st.in, st.c.Size()
	g := &gathered{targets: make([][]int32, n), rows: make([][]int32, n), held: make([][]int32, n)}
	for _, k := range rows {
		for _, i := range in.Col[in.Ptr[k]:in.Ptr[k+1]] {
			if part := of(i); part >= 0 {
				to := home[part]
				g.rows[to] = append(g.rows[to], k)
				break
			}
		}
	}
	numbers, values := make([][]int32, n), make([][]float64, n)
	for to, rows := range g.rows {
		place := map[int32]int32{}
		for _, k := range rows {
			for _, i := range in.Col[in.Ptr[k]:in.Ptr[k+1]] {
				place[i] = 0
			}
		}
		for i := range place {
			g.targets[to] = append(g.targets[to], i)
		}
		slices.Sort(g.targets[to])
		numbers[to] = append(numbers[to], int32(len(place)), int32(len(rows)))
		for at, i := range g.targets[to] {
			place[i] = int32(at)
			if of(i) < 0 {
				g.held[to] = append(g.held[to], int32(at))
			}
			number := st.number[i]
			if of(i) < 0 {
				number = ^number
			}
			numbers[to] = append(numbers[to], number)
			values[to] = append(values[to], in.Lower[i], in.Upper[i])
		}
		for _, k := range rows {
			from, end := in.Ptr[k], in.Ptr[k+1]
			numbers[to] = append(numbers[to], int32(in.Kinds[k]), in.RuleOf[k], end-from)
			values[to] = append(values[to], in.B[k])
			for j := from; j < end; j++ {
				numbers[to] = append(numbers[to], place[in.Col[j]])
				values[to] = append(values[to], in.Val[j])
			}
		}
		if len(rows) == 0 {
			numbers[to], values[to] = nil, nil
		}
	}
	numbers, err := collective.Exchange(st.c, numbers)
	if err != nil {
		return nil, err
	}
	if values, err = collective.Exchange(st.c, values); err != nil {
		return nil, err
	}
	err = g.build(in, numbers, values)
	return g, agree(st.c, err)
}

// build makes the problem of what was received.
func (g *gathered) build(in *lcqp.Instance, numbers [][]int32, values [][]float64) error {
	n := len(numbers)
	g.target, g.heldAt, g.row = make([][]int32, n), make([][]int32, n), make([][]int32, n)
	var all []int32
	for _, list := range numbers {
		if len(list) > 0 {
			for _, number := range list[2 : 2+list[0]] {
				all = append(all, max(number, ^number))
			}
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	if len(all) == 0 {
		return nil
	}
	p := &hlmrf.Program{Targets: make([]string, len(all)), Rules: in.Program().Rules, HardRules: []hlmrf.Rule{{}}}
	lower, upper := make([]float64, len(all)), make([]float64, len(all))
	type entry struct {
		col int32
		val float64
	}
	var entries []entry
	var col []int32
	var val, b []float64
	for _, hard := range []bool{true, false} {
		for r, list := range numbers {
			if len(list) == 0 {
				continue
			}
			targets, rows, list, value := list[2:2+list[0]], int(list[1]), list[2+list[0]:], values[r]
			if hard {
				g.row[r] = make([]int32, rows)
				for k, number := range targets {
					at, _ := slices.BinarySearch(all, max(number, ^number))
					if number < 0 {
						g.heldAt[r] = append(g.heldAt[r], int32(at))
					}
					g.target[r] = append(g.target[r], int32(at))
					lower[at], upper[at] = value[2*k], value[2*k+1]
				}
			}
			value = value[2*len(targets):]
			for k := range rows {
				kind, rule, size := lcqp.Kind(list[0]), list[1], int(list[2])
				if isHard := kind <= lcqp.HardEQ; isHard == hard {
					entries = entries[:0]
					for j := range size {
						entries = append(entries, entry{g.target[r][list[3+j]], value[1+j]})
					}
					slices.SortFunc(entries, func(a, b entry) int { return int(a.col) - int(b.col) })
					col, val = col[:0], val[:0]
					for _, e := range entries {
						col, val = append(col, e.col), append(val, e.val)
					}
					g.row[r][k] = int32(len(b))
					b = append(b, value[0])
					if hard {
						p.Constraints.Append(col, val, nil, nil, 0)
						p.ConstraintRule = append(p.ConstraintRule, 0)
						relation := hlmrf.LessEqual
						if kind == lcqp.HardEQ {
							relation = hlmrf.Equal
						}
						p.Relations = append(p.Relations, relation)
					} else {
						p.AddPotential(rule, col, val, nil, nil, 0)
					}
				}
				list, value = list[3+size:], value[1+size:]
			}
		}
	}
	// The neural outputs are in b.
	t, err := lcqp.Compile(p)
	if err != nil {
		return err
	}
	if g.in, err = t.NewInstance(in.Epsilon); err != nil {
		return err
	}
	copy(g.in.Weights, in.Weights)
	copy(g.in.B, b)
	return g.in.SetBounds(lower, upper)
}

// solve solves the pieces with the held targets at their values in sol, and writes the
// other targets and the multipliers of the rows there. It returns the worst status of all
// ranks.
func (g *gathered) solve(st *state, sol *lcqp.Solution, s infer.Settings) (infer.Status, error) {
	n := st.c.Size()
	values := make([][]float64, n)
	for to, held := range g.held {
		for _, at := range held {
			values[to] = append(values[to], sol.Y[g.targets[to][at]])
		}
	}
	values, err := collective.Exchange(st.c, values)
	if err != nil {
		return 0, err
	}
	answers := make([][]float64, n)
	most := []float64{0}
	if g.in != nil {
		for r, list := range g.heldAt {
			for k, at := range list {
				g.in.Lower[at], g.in.Upper[at] = values[r][k], values[r][k]
			}
		}
		if err = infer.Solve(g.in, &g.warm, s, &g.res); err == nil {
			g.res.SaveWarm(&g.warm)
			most[0] = float64(g.res.Status)
			for r := range answers {
				for _, at := range g.target[r] {
					answers[r] = append(answers[r], g.res.Y[at])
				}
				for _, k := range g.row[r] {
					answers[r] = append(answers[r], g.res.Dual[k])
				}
			}
		}
	}
	if err := agree(st.c, err); err != nil {
		return 0, err
	}
	if g.answers, err = collective.Exchange(st.c, answers); err != nil {
		return 0, err
	}
	g.restore(sol)
	err = collective.Max(st.c, most)
	return infer.Status(most[0]), err
}

// restore writes the answers of the last solve into sol.
func (g *gathered) restore(sol *lcqp.Solution) {
	for from, list := range g.answers {
		for k, i := range g.targets[from] {
			sol.Y[i] = list[k] // a held target keeps the value that was sent
		}
		for k, row := range g.rows[from] {
			sol.Dual[row] = list[len(g.targets[from])+k]
		}
	}
}
