package kernel

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
)

// interp executes the functions of a generated assembly file one instruction at
// a time, so that code for processors other than this one can be tested, and so
// that every access to memory is checked against the buffers handed over. It
// knows the instructions that strips and transforms use, and fails on any other.
type interp struct {
	code   [][]string // mnemonic and operands
	labels map[string]int

	gp      map[string]int64
	vec     [32][16]float32
	cmp     int64 // the last result that set the flags
	frame   map[string]int64
	consts  map[string]float32 // float parameters
	regions []region
	steps   int
}

// region is a buffer at a made-up address.
type region struct {
	base int64
	f    []float32
	q    []int64
}

// loadAsm reads one function.
func loadAsm(file, name string) (*interp, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	m := &interp{labels: map[string]int{}}
	inside := false
	for sc := bufio.NewScanner(f); sc.Scan(); {
		line := strings.TrimSpace(sc.Text())
		switch {
		case strings.HasPrefix(line, "TEXT"):
			inside = strings.Contains(line, "·"+name+"(SB)")
		case !inside || line == "" || strings.HasPrefix(line, "//"):
		case strings.HasSuffix(line, ":"):
			m.labels[strings.TrimSuffix(line, ":")] = len(m.code)
		default:
			op, rest, _ := strings.Cut(line, " ")
			ins := []string{op}
			for _, a := range strings.Split(rest, ",") {
				ins = append(ins, strings.TrimSpace(a))
			}
			m.code = append(m.code, ins)
		}
	}
	if len(m.code) == 0 {
		return nil, fmt.Errorf("no function %s in %s", name, file)
	}
	return m, nil
}

// addFloats makes a buffer accessible and returns its address. Buffers lie far
// apart, so no access strays from one into another.
func (m *interp) addFloats(f []float32) int64 {
	base := int64(len(m.regions)+1) << 32
	m.regions = append(m.regions, region{base: base, f: f})
	return base
}

func (m *interp) addInts(q []int64) int64 {
	base := int64(len(m.regions)+1) << 32
	m.regions = append(m.regions, region{base: base, q: q})
	return base
}

// floats returns the n elements at an address.
func (m *interp) floats(addr int64, n int) []float32 {
	r := m.region(addr)
	i := (addr - r.base) / 4
	if addr%4 != 0 || i+int64(n) > int64(len(r.f)) {
		panic(fmt.Sprintf("access to %d elements at element %d of %d", n, i, len(r.f)))
	}
	return r.f[i:][:n]
}

func (m *interp) region(addr int64) region {
	i := addr>>32 - 1
	if i < 0 || int(i) >= len(m.regions) {
		panic(fmt.Sprintf("access to address %#x outside all buffers", addr))
	}
	return m.regions[i]
}

// address evaluates disp(base)(index*scale).
func (m *interp) address(op string) int64 {
	disp, rest, _ := strings.Cut(op, "(")
	base, index, indexed := strings.Cut(strings.TrimSuffix(rest, ")"), ")(")
	addr := m.gp[base]
	if disp != "" {
		d, err := strconv.ParseInt(disp, 10, 64)
		if err != nil {
			panic("operand " + op)
		}
		addr += d
	}
	if indexed {
		reg, scale, _ := strings.Cut(index, "*")
		s, err := strconv.ParseInt(scale, 10, 64)
		if err != nil {
			panic("operand " + op)
		}
		addr += m.gp[reg] * s
	}
	return addr
}

// integer reads an immediate, a register, a parameter or memory.
func (m *interp) integer(op string) int64 {
	switch {
	case strings.HasPrefix(op, "$"):
		v, err := strconv.ParseInt(op[1:], 0, 64)
		if err != nil {
			panic("operand " + op)
		}
		return v
	case strings.HasSuffix(op, "(FP)"):
		name, _, _ := strings.Cut(op, "+")
		v, ok := m.frame[name]
		if !ok {
			panic("parameter " + op)
		}
		return v
	case strings.HasSuffix(op, ")"):
		addr := m.address(op)
		r := m.region(addr)
		return r.q[(addr-r.base)/8]
	}
	return m.gp[op]
}

// register returns a vector register and its number of lanes.
func (m *interp) register(op string) (v *[16]float32, lanes int) {
	n, err := strconv.Atoi(op[1:])
	lanes = map[byte]int{'X': 4, 'Y': 8, 'Z': 16}[op[0]]
	if err != nil || lanes == 0 {
		panic("operand " + op)
	}
	return &m.vec[n], lanes
}

// vector reads the lanes of a register or of memory.
func (m *interp) vector(op string, lanes int) []float32 {
	if strings.HasSuffix(op, ")") {
		return m.floats(m.address(op), lanes)
	}
	v, _ := m.register(op)
	return v[:lanes]
}

// write sets the lanes of a register and clears those above.
func (m *interp) write(op string, f func(i int) float32) {
	v, lanes := m.register(op)
	var out [16]float32
	for i := range lanes {
		out[i] = f(i)
	}
	*v = out
}

func fma32(a, b, c float32) float32 { return float32(math.FMA(float64(a), float64(b), float64(c))) }

// run executes the function with the given integer and float parameters.
func (m *interp) run(frame map[string]int64, consts map[string]float32) {
	m.gp, m.frame, m.consts = map[string]int64{}, frame, consts
	for i := range m.vec {
		for j := range m.vec[i] {
			m.vec[i][j] = float32(math.NaN()) // what was there must not matter
		}
	}
	for pc := 0; ; pc++ {
		if m.steps++; m.steps > 1<<26 {
			panic("no end")
		}
		in := m.code[pc]
		if in[0] == "RET" {
			return
		}
		if to, ok := m.jump(in); ok {
			pc = to - 1
		}
	}
}

// jump executes one instruction and tells where to go on if it is a taken jump.
func (m *interp) jump(in []string) (to int, taken bool) {
	switch in[0] {
	case "JMP":
		taken = true
	case "JE", "JZ":
		taken = m.cmp == 0
	case "JNZ":
		taken = m.cmp != 0
	case "JL":
		taken = m.cmp < 0
	case "JGE":
		taken = m.cmp >= 0
	default:
		m.compute(in)
		return 0, false
	}
	to, ok := m.labels[in[1]]
	if !ok {
		panic("label " + in[1])
	}
	return to, taken
}

func (m *interp) compute(in []string) {
	dst := in[len(in)-1]
	switch in[0] {
	case "MOVQ", "MOVBLZX":
		m.gp[dst] = m.integer(in[1])
	case "LEAQ":
		m.gp[dst] = m.address(in[1])
	case "CMPQ":
		m.cmp = m.integer(in[1]) - m.integer(in[2])
	case "TESTQ":
		m.cmp = m.integer(in[1]) & m.integer(in[2])
	case "ADDQ":
		m.set(dst, m.gp[dst]+m.integer(in[1]))
	case "SUBQ":
		m.set(dst, m.gp[dst]-m.integer(in[1]))
	case "DECQ":
		m.set(dst, m.gp[dst]-1)
	case "IMULQ":
		m.set(dst, m.gp[dst]*m.integer(in[1]))
	case "SHLQ":
		m.set(dst, m.gp[dst]<<m.integer(in[1]))
	case "VZEROUPPER", "PREFETCHT0":
	case "VXORPS":
		if in[1] != in[2] {
			panic("exclusive or of different registers")
		}
		m.write(dst, func(int) float32 { return 0 })
	case "VMOVUPS", "VMOVAPS":
		if strings.HasSuffix(dst, ")") {
			v, lanes := m.register(in[1])
			copy(m.floats(m.address(dst), lanes), v[:lanes])
			return
		}
		_, lanes := m.register(dst)
		src := m.vector(in[1], lanes)
		m.write(dst, func(i int) float32 { return src[i] })
	case "VBROADCASTSS":
		name, _, _ := strings.Cut(in[1], "+")
		v, ok := m.consts[name]
		if !ok {
			v = m.vector(in[1], 1)[0]
		}
		m.write(dst, func(int) float32 { return v })
	default:
		m.arithmetic(in, dst)
	}
}

func (m *interp) set(reg string, v int64) { m.gp[reg], m.cmp = v, v }

// arithmetic executes dst = f(src2, src1, dst) in the operand order of Go.
func (m *interp) arithmetic(in []string, dst string) {
	_, lanes := m.register(dst)
	a, b, c := m.vector(in[1], lanes), m.vector(in[2], lanes), m.vector(dst, lanes)
	switch in[0] {
	case "VMULPS":
		m.write(dst, func(i int) float32 { return a[i] * b[i] })
	case "VADDPS":
		m.write(dst, func(i int) float32 { return a[i] + b[i] })
	case "VSUBPS":
		m.write(dst, func(i int) float32 { return b[i] - a[i] })
	case "VMAXPS": // the second source, here a, if one is not a number
		m.write(dst, func(i int) float32 {
			if b[i] > a[i] {
				return b[i]
			}
			return a[i]
		})
	case "VFMADD231PS":
		m.write(dst, func(i int) float32 { return fma32(a[i], b[i], c[i]) })
	case "VFNMADD231PS":
		m.write(dst, func(i int) float32 { return fma32(-a[i], b[i], c[i]) })
	case "VFMADD213PS":
		m.write(dst, func(i int) float32 { return fma32(b[i], c[i], a[i]) })
	default:
		panic("instruction " + strings.Join(in, " "))
	}
}
