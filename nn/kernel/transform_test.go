package kernel

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// lineMaps lists one map of every kind, with its shape.
func lineMaps[T Float]() []lineMap[T] {
	var maps []lineMap[T]
	have := map[lineKind]bool{}
	add := func(kind lineKind, m [][]float64) {
		if !have[kind] {
			have[kind] = true
			maps = append(maps, newLineMap[T](kind, m))
		}
	}
	for _, n := range []int{2, 3, 4, 6, 8} {
		s, _ := schemeFor(n)
		add(s.taps, s.g)
		add(s.tapGrad, transposed(s.g))
		for _, seg := range s.segments {
			add(seg.in, seg.b)
			add(seg.grad, seg.a)
			add(seg.out, transposed(seg.a))
		}
	}
	return maps
}

// randomWalk goes from one block to the next or from one line to the next in the
// smaller steps, forwards or backwards.
func randomWalk(rng *rand.Rand, blocks, lines int) (w walk, last int) {
	w = walk{step: 1, line: blocks + rng.IntN(2)}
	if rng.IntN(2) == 0 {
		w = walk{step: lines + rng.IntN(2), line: 1}
	}
	last = (blocks-1)*w.step + (lines-1)*w.line
	if rng.IntN(3) == 0 {
		w = walk{last, -w.step, -w.line}
	}
	extra := rng.IntN(2)
	w.at += extra
	return w, last + extra
}

// Every map computes its matrix, on every path, and stays inside its buffers:
// they are exactly as long as it may reach.
func TestPasses(t *testing.T) {
	if got := len(lineMaps[float32]()); got != int(lineKinds) {
		t.Fatalf("%d kinds of maps, want %d", got, lineKinds)
	}
	eachPath(t, func(t *testing.T) {
		rng := newRand(111)
		for _, m := range lineMaps[float32]() {
			for range 40 {
				runPass(t, rng, m)
			}
		}
	})
}

func runPass(t *testing.T, rng *rand.Rand, m lineMap[float32]) {
	t.Helper()
	n := 1 + rng.IntN(unit)
	p := pass[float32]{lineMap: m, n: 1 + rng.IntN(4)}
	var lastFrom, lastTo int
	p.from, lastFrom = randomWalk(rng, len(m.matrix[0]), p.n)
	p.to, lastTo = randomWalk(rng, len(m.matrix), p.n)
	layout := func(last int) (step, next, size int) {
		next = group + rng.IntN(2)*rng.IntN(9)
		step = n*next + rng.IntN(5)
		return step, next, last*step + (n-1)*next + group
	}
	ss, sn, size := layout(lastFrom)
	src := guardCopy(normals[float32](rng, size))
	ds, dn, size := layout(lastTo)
	dst := guardCopy(normals[float32](rng, size))
	var post epilogue[float32]
	var guards []guarded[float32]
	if rng.IntN(2) == 0 && slices.Contains([]lineKind{out4, out3, outPair}, m.kind) {
		scale, shift := guardCopy(normals[float32](rng, n*group)), guardCopy(normals[float32](rng, n*group))
		guards = append(guards, scale, shift)
		post = epilogue[float32]{scale.buf, shift.buf, nil, floorOf[float32](rng.IntN(2) == 0)}
		if rng.IntN(2) == 0 {
			r := guardCopy(normals[float32](rng, size))
			guards = append(guards, r)
			post.residual = r.buf
		}
	}
	want := to64(dst.buf)
	for l := range p.n {
		for i, row := range m.matrix {
			for e := range n * group {
				at := (p.to.at+l*p.to.line+i*p.to.step)*ds + e/group*dn + e%group
				var sum float64
				for k, c := range row {
					sum += float64(c) * float64(src.buf[(p.from.at+l*p.from.line+k*p.from.step)*ss+e/group*sn+e%group])
				}
				if post.scale != nil {
					sum = sum*float64(post.scale[e]) + float64(post.shift[e])
					if post.residual != nil {
						sum += float64(post.residual[at])
					}
					sum = max(sum, float64(post.floor))
				}
				want[at] = sum
			}
		}
	}
	p.apply(blocks[float32]{dst.buf, ds, dn}, blocks[float32]{src.buf, ss, sn}, n, &post)
	name := label("kind %d, %d lines of %d groups, epilogue %v", m.kind, p.n, n, post.scale != nil)
	near(t, name, dst.buf, want, 2e-6)
	for _, g := range append(guards, src, dst) {
		g.intact(t, name)
	}
}
