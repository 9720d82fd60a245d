package pipe

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/bilevel"
	"hinge/symbolic/lcqp"
	"hinge/train/exit"
)

// pair is a model of two images, of which the sum of what they show may be known.
const pair = `{
	"rules": [
		"1: Shows(X, A) & Shows(Y, B) & Pair(X, Y) & Adds(A, B, S) -> Sum(X, Y, S) ^2",
		"0.5: Sum(X, Y, S) & Shows(X, A) & Adds(A, B, S) & Pair(X, Y) -> Shows(Y, B) ^2",
		"0.1: !Sum(X, Y, S)",
		"Sum(X, Y, +S) = 1 ."
	],
	"predicates": {
		"Shows/2": {"type": "DeepPredicate", "options": {"model-path": "net.py::Net"}, "targets": [["x", 0], ["x", 1], ["y", 0], ["y", 1]]},
		"Pair/2": {"observations": [["x", "y"]]},
		"Adds/3": {"observations": [[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 2]]},
		"Sum/3": {"targets": [["x", "y", 0], ["x", "y", 1], ["x", "y", 2]], "truth": [["x", "y", 0, 0], ["x", "y", 1, 1]]}
	},
	"options": {"inference.normalize": false}
}`

// client is one end of the pipes, Serve the other.
type client struct {
	t    testing.TB
	w    io.WriteCloser
	r    *bufio.Reader
	code chan int
}

func connect(t testing.TB) *client {
	t.Helper()
	requests, w := io.Pipe()
	r, replies := io.Pipe()
	c := &client{t, w, bufio.NewReader(r), make(chan int, 1)}
	go func() {
		c.code <- Serve(requests, replies)
		replies.Close()
	}()
	t.Cleanup(func() { w.Close(); r.Close() })
	return c
}

func frame(k uint32, body []byte) []byte {
	b := binary.LittleEndian.AppendUint32(nil, k)
	b = binary.LittleEndian.AppendUint32(b, 0)
	return append(binary.LittleEndian.AppendUint64(b, uint64(len(body))), body...)
}

func uint32s(n ...uint32) (body []byte) {
	for _, v := range n {
		body = binary.LittleEndian.AppendUint32(body, v)
	}
	return body
}

// call sends a request and returns the reply.
func (c *client) call(k kind, body []byte) (kind, []byte) {
	c.t.Helper()
	if _, err := c.w.Write(frame(uint32(k), body)); err != nil {
		c.t.Fatal(err)
	}
	var head [headBytes]byte
	if _, err := io.ReadFull(c.r, head[:]); err != nil {
		c.t.Fatal(err)
	}
	reply := make([]byte, binary.LittleEndian.Uint64(head[8:]))
	if _, err := io.ReadFull(c.r, reply); err != nil {
		c.t.Fatal(err)
	}
	return kind(binary.LittleEndian.Uint32(head[:])), reply
}

// open greets and loads the model.
func (c *client) open() *Loaded {
	c.t.Helper()
	path := filepath.Join(c.t.TempDir(), "model.json")
	if err := os.WriteFile(path, []byte(pair), 0o666); err != nil {
		c.t.Fatal(err)
	}
	c.call(hello, uint32s(Version))
	text, err := json.Marshal(Request{Model: path, Epsilon: 1e-3, Gap: 1e-12})
	if err != nil {
		c.t.Fatal(err)
	}
	k, reply := c.call(load, text)
	l := new(Loaded)
	if k != load {
		c.t.Fatalf("load: %s", reply[4:])
	}
	if err := json.Unmarshal(reply, l); err != nil {
		c.t.Fatal(err)
	}
	return l
}

// solved is a reply with its arrays apart.
type solved struct{ v, phi, dg, y, rest []float64 }

// ask is a request for values, or with pull numbers for a pull.
type ask struct {
	flags, draws, samples uint32
	w, g, labels          []float64
	keys                  []int64
	pull                  []float64
}

func (a *ask) body(l *Loaded) []byte {
	targets := len(l.Targets)
	body := uint32s(l.Program, a.flags, a.draws, a.samples, uint32(len(a.w)), uint32(len(l.Outputs)), uint32(targets), uint32(len(a.labels)/targets), uint32(len(a.keys)), 0)
	body = appendFloats(appendFloats(appendFloats(body, a.w), a.g), a.labels)
	for _, k := range a.keys {
		body = binary.LittleEndian.AppendUint64(body, uint64(k))
	}
	return appendFloats(body, a.pull)
}

func (c *client) solve(l *Loaded, a ask) solved {
	c.t.Helper()
	want := value
	if a.pull != nil {
		want = pull
	}
	k, reply := c.call(want, a.body(l))
	if k != want {
		c.t.Fatalf("%s", reply[4:])
	}
	head := cursor{reply}
	var n [6]int
	for i := range n {
		n[i] = int(head.uint32())
	}
	head.int64()
	s := solved{v: head.floats(nil, n[0]), phi: head.floats(nil, n[0]*n[1]), dg: head.floats(nil, n[0]*n[2]), y: head.floats(nil, n[3])}
	s.rest = head.floats(nil, len(head.rest)/8)
	return s
}

func outputs(rng *rand.Rand, slots int) []float64 {
	g := make([]float64, 0, 4*slots)
	for range 2 * slots {
		p := 0.1 + 0.8*rng.Float64()
		g = append(g, p, 1-p)
	}
	return g
}

var labels = []float64{0, 1, math.NaN(), math.NaN(), math.NaN(), 1}

// TestValues: values, gradients and answers are those of package bilevel, bit for bit; they
// do not depend on warm states beyond the tolerance, and the gradients are the differences
// of the values.
func TestValues(t *testing.T) {
	c := connect(t)
	l := c.open()
	if len(l.Rules) != 3 || l.Rules[1].Weight != 0.5 || strings.Join(l.Outputs[2], " ") != "SHOWS y 0" && strings.Join(l.Outputs[2], " ") != "Shows y 0" {
		t.Fatalf("%+v", l)
	}
	if len(l.Truth) != 3 || *l.Truth[1] != 1 || l.Truth[2] != nil {
		t.Errorf("truth %v", l.Truth)
	}
	s := &session{programs: map[uint32]*program{}}
	text, _ := json.Marshal(Request{Model: filepath.Join(t.TempDir(), "model.json"), Epsilon: 1e-3, Gap: 1e-12})
	var q Request
	require.NoError(t, json.Unmarshal(text, &q))
	require.NoError(t, os.WriteFile(q.Model, []byte(pair), 0o666))
	_, err := s.load(text)
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(1, 2))
	const draws, samples = 3, 2
	a := ask{flags: flagAnswers, draws: draws, samples: samples, w: []float64{1, 0.5, 0.1}, g: outputs(rng, draws*samples), labels: labels}
	got := c.solve(l, a)
	opt := s.programs[1].options
	opt.Condition = true
	f, err := bilevel.New(s.programs[1].template, draws*samples, opt)
	require.NoError(t, err)
	for slot := range f.Slots() {
		fix(t, f.Instance(slot), labels[3*(slot%samples):][:3])
	}
	require.NoError(t, f.Solve(a.w, a.g))
	var phi, dg, y []float64
	for slot := range f.Slots() {
		p, d := f.SlotGradients(slot)
		phi, dg, y = append(phi, p...), append(dg, d...), append(y, f.Result(slot).Y...)
	}
	if !slices.Equal(got.v, f.Values()) || !slices.Equal(got.phi, phi) || !slices.Equal(got.dg, dg) || !slices.Equal(got.y, y) {
		t.Error("other values, gradients or answers than those of package bilevel")
	}
	// A second time, with states, and again from them.
	a.keys = []int64{7, -1}
	for range 2 {
		warm := c.solve(l, a)
		for i, v := range warm.v {
			if math.Abs(v-got.v[i]) > 1e-9 {
				t.Errorf("slot %d: %v with a warm state, %v without", i, v, got.v[i])
			}
		}
	}
	a.keys = nil
	const h = 1e-5
	at := func(x []float64, i int, d float64) []float64 {
		old := x[i]
		x[i] = old + d
		v := c.solve(l, a).v
		x[i] = old
		return v
	}
	for _, labelled := range []bool{true, false} {
		if !labelled {
			a.labels = nil
		}
		got = c.solve(l, a)
		for i := range a.g {
			up, down := at(a.g, i, h), at(a.g, i, -h)
			if d := (up[i/4] - down[i/4]) / (2 * h); math.Abs(d-got.dg[i]) > 1e-6 {
				t.Errorf("labels %v: ∂V/∂g[%d] = %v, differences say %v", labelled, i, got.dg[i], d)
			}
		}
		for r := range a.w {
			up, down := at(a.w, r, h), at(a.w, r, -h)
			for slot := range up {
				if d := (up[slot] - down[slot]) / (2 * h); math.Abs(d-got.phi[3*slot+r]) > 1e-6 {
					t.Errorf("labels %v: ∂V/∂w[%d] = %v, differences say %v", labelled, r, got.phi[3*slot+r], d)
				}
			}
		}
	}
}

func fix(t *testing.T, in *lcqp.Instance, labels []float64) {
	t.Helper()
	for j, v := range labels {
		if !math.IsNaN(v) {
			require.NoError(t, in.Fix(j, v))
		}
	}
}

// TestPull: the gradients of a function of the answers are its differences.
func TestPull(t *testing.T) {
	c := connect(t)
	l := c.open()
	rng := rand.New(rand.NewPCG(3, 4))
	a := ask{flags: flagAnswers, draws: 1, samples: 3, w: []float64{1, 0.5, 0.1}, g: outputs(rng, 3)}
	full := c.solve(l, a)
	slopes := make([]float64, len(full.y))
	for i := range slopes {
		slopes[i] = rng.NormFloat64()
	}
	loss := func() (sum float64) {
		for i, y := range c.solve(l, a).y {
			sum += slopes[i] * y
		}
		return sum
	}
	const nudge, h = 1e-4, 1e-5
	p := a
	p.flags = 0
	p.pull = slices.Concat([]float64{nudge}, full.y, slopes)
	pulled := c.solve(l, p)
	unit := pulled.rest[0] / nudge
	check := func(name string, got float64, x *float64) {
		old := *x
		*x = old + h
		up := loss()
		*x = old - h
		down := loss()
		*x = old
		if d := (up - down) / (2 * h); math.Abs(got-d) > 1e-3*(1+math.Abs(d)) {
			t.Errorf("%s: %v, differences say %v", name, got, d)
		}
	}
	moves := 0.0
	for i := range a.g {
		got := (pulled.dg[i] - full.dg[i]) * unit
		moves = max(moves, math.Abs(got))
		check("g", got, &a.g[i])
	}
	for r := range a.w {
		got := 0.0
		for slot := range 3 {
			got += (pulled.phi[3*slot+r] - full.phi[3*slot+r]) * unit
		}
		check("w", got, &a.w[r])
	}
	if moves < 0.1 {
		t.Errorf("the largest gradient is %v: nothing is compared", moves)
	}
}

// TestMistakes: a mistake in a request is an error frame, and the next one is answered.
func TestMistakes(t *testing.T) {
	c := connect(t)
	l := c.open()
	good := ask{draws: 1, samples: 2, w: []float64{1, 0.5, 0.1}, g: outputs(rand.New(rand.NewPCG(5, 6)), 2)}
	with := func(change func(*ask)) []byte {
		a := good
		a.w, a.g = slices.Clone(a.w), slices.Clone(a.g)
		change(&a)
		return a.body(l)
	}
	number := func(at int, v uint32) []byte {
		body := good.body(l)
		binary.LittleEndian.PutUint32(body[4*at:], v)
		return body
	}
	for _, m := range []struct {
		kind kind
		body []byte
		code uint32
		want string
	}{
		{value, nil, 2, "a request of 0 bytes"},
		{value, number(0, 9), 2, "no program 9"},
		{value, number(1, 8), 2, "unknown flags"},
		{value, number(2, 0), 2, "0 draws of 2 samples"},
		{value, number(2, math.MaxUint32), 2, "draws of 2 samples"},
		{value, number(4, 2), 2, "2 weights, 4 outputs and 3 targets; the program has 3"},
		{value, number(7, 3), 2, "3 rows of labels"},
		{value, number(8, 1), 2, "1 keys"},
		{value, append(good.body(l), 0), 2, "bytes of numbers, want"},
		{pull, good.body(l), 2, "bytes of numbers, want"},
		{value, with(func(a *ask) { a.w[1] = -1 }), 2, "rule 2 has the weight -1, want a finite number ≥ 0: "},
		{value, with(func(a *ask) { a.g[5] = math.NaN() }), 2, "slot 1: the output 1 is NaN"},
		{value, with(func(a *ask) { a.labels = []float64{2, 0, 0} }), 2, "slot 0: "},
		{value, with(func(a *ask) { a.labels = []float64{1, 1, 0} }), 4, "Sum(X, Y, +S) = 1"},
		{pull, with(func(a *ask) { a.pull = make([]float64, 13) }), 2, "nudge 0"},
		{pull, with(func(a *ask) { a.pull = append([]float64{1, math.Inf(1)}, make([]float64, 11)...) }), 2, "the answer of target 0"},
		{load, []byte(`{"model": "none.json"}`), 2, "none.json"},
		{load, []byte(`{"modal": ""}`), 2, "modal"},
		{load, []byte(`{"model": "", "method": "guess"}`), 2, `method "guess" is none of`},
		{load, []byte(`{"model": "", "partition": "test"}`), 2, `partition "test"`},
		{free, nil, 2, "want 4"},
	} {
		k, reply := c.call(m.kind, m.body)
		if k != errorKind || binary.LittleEndian.Uint32(reply) != m.code || !strings.Contains(string(reply[4:]), m.want) {
			t.Errorf("want %d %s, got kind %d: %q", m.code, m.want, k, reply)
		}
		c.solve(l, good)
	}
	if k, _ := c.call(free, uint32s(l.Program)); k != free {
		t.Errorf("free: %d", k)
	}
	if k, reply := c.call(value, good.body(l)); k != errorKind || !strings.Contains(string(reply), "no program 1") {
		t.Errorf("after free: %q", reply)
	}
	c.w.Close()
	if code := <-c.code; code != exit.OK {
		t.Errorf("exit code %d at the end of the input", code)
	}
}

// TestLost: where the order of frames is lost the program says so and ends.
func TestLost(t *testing.T) {
	greeting := frame(1, uint32s(Version))
	long := frame(3, nil)
	binary.LittleEndian.PutUint64(long[8:], math.MaxUint64)
	for want, input := range map[string][]byte{
		"unknown kind 8":                  slices.Concat(greeting, frame(8, nil)),
		"at most 4294967296":              slices.Concat(greeting, long),
		"no hello":                        frame(3, nil),
		"version 2 of the protocol":       frame(1, uint32s(2)),
		"within the head":                 slices.Concat(greeting, []byte{1, 2}),
		"within a frame":                  slices.Concat(greeting, frame(3, make([]byte, 50))[:40]),
		"the second number of a frame is": slices.Concat(greeting, []byte{3, 0, 0, 0, 1}, make([]byte, 11)),
	} {
		var out bytes.Buffer
		if code := Serve(bytes.NewReader(input), &out); code != exit.Usage || !strings.Contains(out.String(), want) {
			t.Errorf("%s: exit code %d, %q", want, code, out.String())
		}
	}
}

// FuzzServe: no input makes it panic or hang.
func FuzzServe(f *testing.F) {
	f.Add(slices.Concat(frame(1, uint32s(Version)), frame(2, []byte(`{"model": "x"}`)), frame(3, make([]byte, 40)), frame(5, uint32s(1))))
	f.Fuzz(func(t *testing.T, input []byte) {
		if code := Serve(bytes.NewReader(input), io.Discard); code != exit.OK && code != exit.Usage {
			t.Errorf("exit code %d", code)
		}
	})
}
