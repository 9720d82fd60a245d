package modelfile

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/nn"
	"hinge/symbolic/model"
)

// TestPassPlaces: in every draw each neural output of the loaded examples is the output of its own
// network for its own entity. Logits of ±100 and more leave the draws nothing to choose.
func TestPassPlaces(t *testing.T) {
	p, err := loadPart(write(t, parted(t), tinyFiles), model.Learn)
	require.NoError(t, err)
	const draws = 3
	networks, err := newNetworks[float32](p.Model, 3, "", nn.Sampling{Draws: draws})
	require.NoError(t, err)
	require.NoError(t, p.see(networks))
	set := func(n *network[float32], name string, values ...float32) {
		for _, q := range n.net.Params().All() {
			if q.Name == name {
				require.Len(t, q.Value, len(values))
				copy(q.Value, values)
				return
			}
		}
		t.Fatalf("no parameter %s", name)
	}
	for _, q := range networks[0].net.Params().All() {
		clear(q.Value)
	}
	set(networks[0], "layers.1.bias", 100, -100, -100, 100) // A(x, 0), A(x, 1), B(x, u), B(x, v)
	set(networks[1], "layers.0.weight", 200, 0)
	set(networks[1], "layers.0.bias", -50)
	// The features of Q are (1, 0) for a, (.5, −1) for b and (0, 2) for c.
	truth := map[string]float32{
		"A(a,0)": 1, "A(a,1)": 0, "A(b,0)": 1, "A(b,1)": 0, "A(c,0)": 1, "A(c,1)": 0,
		"B(a,u)": 0, "B(a,v)": 1, "B(b,u)": 0, "B(b,v)": 1, "B(c,u)": 0, "B(c,v)": 1,
		"Q(a,u)": 1, "Q(b,u)": 1, "Q(c,u)": 0,
	}
	list, err := p.divided(2, true)
	require.NoError(t, err)
	require.Len(t, list, 2)
	slices.Reverse(list)
	room := len(list[0].outputs) + len(list[1].outputs) + 1
	made, err := newPass(p.views, []int{3, 3}, draws, room)
	require.NoError(t, err)
	_, err = made.graph.Compile(nil)
	require.NoError(t, err)
	x, err := made.load(list)
	require.NoError(t, err)
	require.NoError(t, made.graph.Run(x))
	g := made.graph.Result()
	require.Len(t, g, draws*room)
	for draw := range draws {
		at := draw * room
		for _, e := range list {
			for _, o := range e.outputs {
				v := p.views[o.network]
				h := v.of(o.output)
				name := h.predicate + "(" + v.names[o.entity][0] + ",u)"
				if len(h.Classes) > 0 {
					name = h.predicate + "(" + v.names[o.entity][0] + "," + h.Classes[o.output-h.from] + ")"
				}
				require.Contains(t, truth, name)
				require.InDelta(t, truth[name], g[at], 1e-6, "draw %d of %s", draw, name)
				at++
			}
		}
	}
	// Of a smaller batch, only the entities that it has count; the others fill the graph.
	_, err = made.load(list[:1])
	require.NoError(t, err)
	for k := range p.views {
		own := map[int]bool{}
		for _, entity := range list[0].entities[k] {
			own[entity] = true
		}
		for _, l := range list[0].labels[k] {
			own[l.entity] = true
		}
		require.Equal(t, len(own), made.rows[k])
		require.Less(t, len(own), 3)
	}
}
