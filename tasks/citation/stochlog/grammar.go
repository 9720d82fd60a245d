package stochlog

import (
	"fmt"
	"math"
	"slices"
)

// Grammar is the program for one citation graph with derivations of at most Depth
// links.
type Grammar struct {
	// Papers is the number of papers, Depth is L.
	Papers, Depth int

	// Linked papers by paper.
	ptr  []int
	next []int32

	h    [][]float64 // h_0 … h_L
	walk [][]float64 // M·h_0 … M·h_{L−1}
	back []float64
	turn []float64
}

// New makes the program for papers 0 to papers−1 with undirected links, each
// stated once.
func New(papers int, links [][2]int32, depth int) (*Grammar, error) {
	if papers < 1 || depth < 0 {
		return nil, fmt.Errorf("stochlog: %d papers and derivations of %d links", papers, depth)
	}
	g := &Grammar{Papers: papers, Depth: depth, ptr: make([]int, papers+1)}
	for i, l := range links {
		for _, v := range l {
			if v < 0 || int(v) >= papers {
				return nil, fmt.Errorf("stochlog: link %d joins %d and %d of %d papers", i, l[0], l[1], papers)
			}
		}
		g.ptr[l[0]+1]++
		g.ptr[l[1]+1]++
	}
	for i := range papers {
		g.ptr[i+1] += g.ptr[i]
	}
	g.next = make([]int32, g.ptr[papers])
	at := append([]int(nil), g.ptr[:papers]...)
	for _, l := range links {
		for d, from := range l {
			g.next[at[from]] = l[1-d]
			at[from]++
		}
	}
	return g, nil
}

// step writes M·x to y: the mean over the linked papers, or the paper itself
// without any.
func (g *Grammar) step(y, x []float64, classes int) {
	for i := range g.Papers {
		row := y[i*classes : (i+1)*classes]
		links := g.next[g.ptr[i]:g.ptr[i+1]]
		if len(links) == 0 {
			copy(row, x[i*classes:])
			continue
		}
		clear(row)
		share := 1 / float64(len(links))
		for _, z := range links {
			for c, v := range x[int(z)*classes:][:classes] {
				row[c] += share * v
			}
		}
	}
}

// stepBack writes Mᵀ·x to y.
func (g *Grammar) stepBack(y, x []float64, classes int) {
	clear(y)
	for i := range g.Papers {
		row := x[i*classes : (i+1)*classes]
		links := g.next[g.ptr[i]:g.ptr[i+1]]
		share := 1 / float64(max(1, len(links)))
		if len(links) == 0 {
			links = []int32{int32(i)}
		}
		for _, z := range links {
			for c, v := range row {
				y[int(z)*classes+c] += share * v
			}
		}
	}
}

// Infer returns P(C | D) for every paper, [Papers][classes]: p are the network's
// probabilities in the same layout, stop is s_1 … s_Depth, each in [0, 1]. The
// slice is the Grammar's own and valid until the next call.
func (g *Grammar) Infer(p []float64, classes int, stop []float64) []float64 {
	n := g.Papers * classes
	if classes < 1 || len(p) != n || len(stop) != g.Depth {
		panic(fmt.Sprintf("stochlog: %d probabilities and %d stops for %d papers, %d classes and depth %d",
			len(p), len(stop), g.Papers, classes, g.Depth))
	}
	for len(g.h) <= g.Depth {
		g.h, g.walk = append(g.h, nil), append(g.walk, nil)
	}
	g.h[0] = append(g.h[0][:0], p...)
	for k, s := range stop {
		g.walk[k], g.h[k+1] = resize(g.walk[k], n), resize(g.h[k+1], n)
		g.step(g.walk[k], g.h[k], classes)
		for i, v := range g.walk[k] {
			g.h[k+1][i] = s*p[i] + (1-s)*v
		}
	}
	return g.h[g.Depth]
}

// Gradient returns L = −Σ_i weights[i]·log P(labels[i] | i) / Σ_i weights[i] and
// overwrites dp and dstop with its derivatives by p and by stop. Papers of weight 0 need
// no label; at least one has another weight.
func (g *Grammar) Gradient(p, dp []float64, classes int, stop, dstop, weights []float64, labels []int) (float64, error) {
	out := g.Infer(p, classes, stop)
	total := 0.0
	for _, w := range weights {
		total += w
	}
	if len(dp) != len(p) || len(dstop) != len(stop) || len(labels) != g.Papers || len(weights) != g.Papers || !(total > 0) {
		panic(fmt.Sprintf("stochlog: gradients of %d and %d numbers, %d labels, %d weights of sum %v", len(dp), len(dstop), len(labels), len(weights), total))
	}
	g.back, g.turn = resize(g.back, len(p)), resize(g.turn, len(p))
	clear(g.back)
	loss := 0.0
	for i, w := range weights {
		if w == 0 {
			continue
		}
		if l := labels[i]; l < 0 || l >= classes {
			return 0, fmt.Errorf("stochlog: label %d of paper %d is not in 0..%d", l, i, classes-1)
		}
		share := w / total
		q := out[i*classes+labels[i]]
		if !(q > 0) {
			return 0, fmt.Errorf("stochlog: paper %d has its label with probability %v", i, q)
		}
		loss -= share * math.Log(q)
		g.back[i*classes+labels[i]] -= share / q
	}
	clear(dp)
	for k := g.Depth - 1; k >= 0; k-- {
		s := stop[k]
		dstop[k] = 0
		for i, a := range g.back {
			dstop[k] += a * (p[i] - g.walk[k][i])
			dp[i] += s * a
		}
		g.stepBack(g.turn, g.back, classes)
		for i, a := range g.turn {
			g.back[i] = (1 - s) * a
		}
	}
	for i, a := range g.back {
		dp[i] += a
	}
	return loss, nil
}

func resize(x []float64, n int) []float64 { return slices.Grow(x[:0], n)[:n] }
