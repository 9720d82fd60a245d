package sparse

import (
	"math/rand/v2"
	"slices"
)

// graph is an undirected graph with weights: vertex v weighs weight[v] and has the neighbours
// adj[ptr[v]:ptr[v+1]]. An edge represents count edges of the graph that this one was
// contracted from.
type graph struct {
	ptr, adj, count, weight []int32
	total                   int32 // weight of all vertices
}

func (g *graph) len() int                   { return len(g.weight) }
func (g *graph) neighbours(v int32) []int32 { return g.adj[g.ptr[v]:g.ptr[v+1]] }

// newGraph returns the graph of a pattern of n rows.
func newGraph(n int, pairs [][2]int32) *graph {
	g := &graph{ptr: make([]int32, n+1), adj: make([]int32, 2*len(pairs)), count: slices.Repeat([]int32{1}, 2*len(pairs)),
		weight: slices.Repeat([]int32{1}, n), total: int32(n)}
	for _, e := range pairs {
		g.ptr[e[0]]++
		g.ptr[e[1]]++
	}
	end := int32(0)
	for v := range g.ptr {
		end += g.ptr[v]
		g.ptr[v] = end
	}
	for _, e := range pairs {
		i, j := e[0], e[1]
		g.ptr[i]--
		g.ptr[j]--
		g.adj[g.ptr[i]], g.adj[g.ptr[j]] = j, i
	}
	return g
}

// part returns the graph of the n vertices on side s, and the rows of these.
func (g *graph) part(side []int8, s int8, rows []int32, n int) (*graph, []int32) {
	p := &graph{ptr: make([]int32, 1, n+1), weight: make([]int32, 0, n)}
	number, own := make([]int32, g.len()), make([]int32, 0, n)
	edges := 0
	for v, t := range side {
		if t == s {
			number[v] = int32(len(own))
			own = append(own, rows[v])
			edges += len(g.neighbours(int32(v)))
		}
	}
	p.adj, p.count = make([]int32, 0, edges), make([]int32, 0, edges)
	for v, t := range side {
		if t != s {
			continue
		}
		for e := g.ptr[v]; e < g.ptr[v+1]; e++ {
			if u := g.adj[e]; side[u] == s {
				p.adj, p.count = append(p.adj, number[u]), append(p.count, g.count[e])
			}
		}
		p.ptr, p.weight = append(p.ptr, int32(len(p.adj))), append(p.weight, g.weight[v])
		p.total += g.weight[v]
	}
	return p, own
}

// contract joins vertices in pairs, in random order: each with the free neighbour to which it
// has the most edges, among equal ones the lightest. It returns the vertex of the smaller
// graph for each vertex.
func (g *graph) contract(rng *rand.Rand) (*graph, []int32) {
	n := int32(g.len())
	mate, to := slices.Repeat([]int32{-1}, int(n)), make([]int32, n)
	heaviest := max(g.total/coarsest, 2)
	for _, v := range rng.Perm(int(n)) {
		if mate[v] >= 0 {
			continue
		}
		best, most := int32(v), int32(0)
		for e := g.ptr[v]; e < g.ptr[v+1]; e++ {
			u, c := g.adj[e], g.count[e]
			if mate[u] < 0 && g.weight[u]+g.weight[v] <= heaviest && (c > most || c == most && g.weight[u] < g.weight[best]) {
				best, most = u, c
			}
		}
		mate[v], mate[best] = best, int32(v)
	}
	vertices := int32(0)
	for v := range n {
		if mate[v] >= v {
			to[v], to[mate[v]] = vertices, vertices
			vertices++
		}
	}
	c := &graph{ptr: make([]int32, 1, vertices+1), weight: make([]int32, 0, vertices), total: g.total,
		adj: make([]int32, 0, len(g.adj)), count: make([]int32, 0, len(g.adj))}
	at := make([]int32, vertices) // 1 + the place of the edge to a vertex
	for v := range n {
		if mate[v] < v {
			continue
		}
		from, weight := int32(len(c.adj)), int32(0)
		for _, w := range [...]int32{v, mate[v]} {
			if w == v && weight > 0 {
				break // v has no mate
			}
			weight += g.weight[w]
			for e := g.ptr[w]; e < g.ptr[w+1]; e++ {
				switch u := to[g.adj[e]]; {
				case u == to[v]:
				case at[u] > from:
					c.count[at[u]-1] += g.count[e]
				default:
					c.adj, c.count = append(c.adj, u), append(c.count, g.count[e])
					at[u] = int32(len(c.adj))
				}
			}
		}
		c.ptr, c.weight = append(c.ptr, int32(len(c.adj))), append(c.weight, weight)
	}
	return c, to
}
