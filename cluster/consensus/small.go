package consensus

import "slices"

// smallRows is the number of rows, and smallShare the share of the rows of a rank on
// average, up to which a component of several ranks is sent to one of them.
const (
	smallRows  = 10000
	smallShare = 1.0 / 8
)

// small finds the components of several ranks that are small enough for one, and returns
// them with the positions of all others.
func (st *state) small() (g *gathered, active []int32, err error) {
	in := st.in
	of := make([]int32, in.Targets)
	rows := make([]float64, len(in.Components))
	for c := range in.Components {
		rows[c] = float64(len(in.Components[c].Rows))
		for _, i := range in.Components[c].Targets {
			of[i] = int32(c)
		}
	}
	position := make([]int32, len(st.links.shared))
	for p, i := range st.links.shared {
		position[p] = of[i]
	}
	size, home, n, err := st.pieces(position, rows)
	if err != nil {
		return nil, nil, err
	}
	st.common = n
	limit := float64(st.settings.Small)
	if limit == 0 {
		total, err := st.total(float64(in.Rows()))
		if err != nil {
			return nil, nil, err
		}
		limit = max(smallRows, smallShare*total/float64(st.c.Size()))
	}
	var list []int32
	for c := range in.Components {
		if home[c] >= 0 && size[c] <= limit {
			list = append(list, in.Components[c].Rows...)
		}
	}
	for p, c := range position {
		if size[c] > limit {
			active = append(active, int32(p))
		}
	}
	slices.Sort(list)
	g, err = st.gather(list, func(i int32) int32 { return of[i] }, home)
	return g, active, err
}
