package kernel

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
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
				randomPass(rng, m).run(t)
			}
		}
	})
}

// Every map in the assembly, for this processor or not, computes its matrix and
// stays inside its buffers.
func TestAssemblyPassesByInterpretation(t *testing.T) {
	for _, isa := range []string{"AVX2", "AVX512"} {
		t.Run(isa, func(t *testing.T) {
			rng := newRand(112)
			m, err := loadAsm("toom_amd64.s", "lines"+isa)
			require.NoError(t, err)
			for _, lines := range lineMaps[float32]() {
				for range 40 {
					c := randomPass(rng, lines)
					want := c.want()
					c.interpret(m)
					near(t, c.String(), c.dst.at, want, 2e-6)
				}
			}
		})
	}
}

// passCase is a pass and its operands.
type passCase struct {
	pass[float32]
	dst, src blocks[float32]
	groups   int
	post     epilogue[float32]
}

func (c *passCase) String() string {
	return label("kind %d, %d lines of %d groups, epilogue %v", c.kind, c.n, c.groups, c.post.scale != nil)
}

// randomPass draws a problem whose buffers are exactly as long as it may reach.
func randomPass(rng *rand.Rand, m lineMap[float32]) *passCase {
	c := &passCase{pass: pass[float32]{lineMap: m, n: 1 + rng.IntN(4)}, groups: 1 + rng.IntN(unit)}
	operand := func(last int) blocks[float32] {
		next := group + rng.IntN(2)*rng.IntN(9)
		step := c.groups*next + rng.IntN(5)
		return blocks[float32]{normals[float32](rng, last*step+(c.groups-1)*next+group), step, next}
	}
	var last int
	c.from, last = randomWalk(rng, len(m.matrix[0]), c.n)
	c.src = operand(last)
	c.to, last = randomWalk(rng, len(m.matrix), c.n)
	c.dst = operand(last)
	if rng.IntN(2) == 0 && slices.Contains([]lineKind{out4, out3, outPair}, m.kind) {
		draw := func(n int) []float32 { return normals[float32](rng, n) }
		c.post = epilogue[float32]{draw(c.groups * group), draw(c.groups * group), nil, floorOf[float32](rng.IntN(2) == 0)}
		if rng.IntN(2) == 0 {
			c.post.residual = draw(len(c.dst.at))
		}
	}
	return c
}

// want is what dst holds afterwards, by definition.
func (c *passCase) want() []float64 {
	want := to64(c.dst.at)
	for l := range c.n {
		for i, row := range c.matrix {
			for e := range c.groups * group {
				at := (c.to.at+l*c.to.line+i*c.to.step)*c.dst.step + e/group*c.dst.next + e%group
				var sum float64
				for k, v := range row {
					sum += float64(v) * float64(c.src.at[(c.from.at+l*c.from.line+k*c.from.step)*c.src.step+e/group*c.src.next+e%group])
				}
				if p := &c.post; p.scale != nil {
					sum = sum*float64(p.scale[e]) + float64(p.shift[e])
					if p.residual != nil {
						sum += float64(p.residual[at])
					}
					sum = max(sum, float64(p.floor))
				}
				want[at] = sum
			}
		}
	}
	return want
}

// run applies the pass to guarded copies of its operands.
func (c *passCase) run(t *testing.T) {
	t.Helper()
	var guards []guarded[float32]
	guard := func(x []float32) []float32 {
		if x == nil {
			return nil
		}
		g := guardCopy(x)
		guards = append(guards, g)
		return g.buf
	}
	want := c.want()
	c.dst.at, c.src.at = guard(c.dst.at), guard(c.src.at)
	p := &c.post
	p.scale, p.shift, p.residual = guard(p.scale), guard(p.shift), guard(p.residual)
	c.apply(c.dst, c.src, c.groups, p)
	near(t, c.String(), c.dst.at, want, 2e-6)
	for _, g := range guards {
		g.intact(t, c.String())
	}
}

// interpret runs the assembly as pass32 calls it.
func (c *passCase) interpret(m *interp) {
	m.regions, m.steps = nil, 0
	at := func(b *blocks[float32], w walk) int64 { return m.addFloats(b.at) + int64(4*w.at*b.step) }
	d, s := &c.dst, &c.src
	frame := map[string]int64{
		"kind": int64(c.kind), "lines": int64(c.n), "groups": int64(c.groups), "coef": m.addFloats(toomConstants[:]),
		"dst": at(d, c.to), "ds": int64(4 * c.to.step * d.step), "dl": int64(4 * c.to.line * d.step), "dn": int64(4 * d.next),
		"src": at(s, c.from), "ss": int64(4 * c.from.step * s.step), "sl": int64(4 * c.from.line * s.step), "sn": int64(4 * s.next),
		"scale": 0, "shift": 0, "residual": 0,
	}
	if e := &c.post; e.scale != nil {
		frame["scale"], frame["shift"] = m.addFloats(e.scale), m.addFloats(e.shift)
		if e.residual != nil {
			frame["residual"] = m.addFloats(e.residual) + int64(4*c.to.at*d.step)
		}
	}
	m.run(frame, map[string]float32{"floor": c.post.floor})
}
