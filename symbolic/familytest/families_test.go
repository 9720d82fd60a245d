package familytest

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
)

func compile(t *testing.T, m *Model) *lcqp.Template {
	t.Helper()
	p, err := m.Ground(context.Background())
	require.NoError(t, err)
	require.NoError(t, p.Check())
	tpl, err := lcqp.Compile(p)
	require.NoError(t, err)
	return tpl
}

// Each family has about the size asked for, from one unit on, and can be
// solved; the outputs fit the model.
func TestFamilies(t *testing.T) {
	for _, f := range all {
		for _, terms := range []int{1, 2000, 20000} {
			m, err := f.Model(terms, 3)
			require.NoError(t, err, f.Name)
			tpl := compile(t, m)
			if n := float64(tpl.Rows()); terms == 20000 && math.Abs(n-float64(terms)) > 0.12*float64(terms) {
				t.Errorf("%s: %v terms instead of %d", f.Name, n, terms)
			}
			if len(m.Outputs) != tpl.Deep || len(m.Outputs)%m.Width != 0 {
				t.Errorf("%s: %d outputs in groups of %d, %d columns", f.Name, len(m.Outputs), m.Width, tpl.Deep)
			}
			if terms > 2000 {
				continue
			}
			in, err := tpl.NewInstance(m.Epsilon)
			require.NoError(t, err)
			require.NoError(t, in.SetDeep(m.Outputs))
			method, err := infer.New("ipm")
			require.NoError(t, err)
			var res infer.Result
			require.NoError(t, infer.Solve(in, nil, infer.Settings{Method: method}, &res))
			if r := lcqp.Residuals(in, &res.Solution); !res.Status.OK() || r.Primal > 1e-6 {
				t.Errorf("%s of %d terms: %v, %+v", f.Name, terms, res.Status, r)
			}
		}
	}
}

func TestSameSeedSameModel(t *testing.T) {
	for _, f := range all {
		var seen []*Model
		for _, seed := range []uint64{1, 1, 2} {
			m, err := f.Model(3000, seed)
			require.NoError(t, err)
			seen = append(seen, m)
		}
		programs := make([]any, 3)
		for i, m := range seen {
			p, err := m.Ground(context.Background())
			require.NoError(t, err)
			programs[i] = p
		}
		if !reflect.DeepEqual(programs[0], programs[1]) || !slices.Equal(seen[0].Outputs, seen[1].Outputs) {
			t.Errorf("%s: two models of seed 1", f.Name)
		}
		if reflect.DeepEqual(programs[0], programs[2]) && slices.Equal(seen[0].Outputs, seen[2].Outputs) {
			t.Errorf("%s: seed 2 gives the model of seed 1", f.Name)
		}
	}
}

// The additions have the sizes of the paper's experiments, one component each.
func TestAdditions(t *testing.T) {
	for name, want := range map[string][3]int{"add1-soft": {547, 41, 20}, "add2-sharp": {3605, 233, 40}} {
		m := model(t, name, 3*want[0])
		tpl := compile(t, m)
		if tpl.Rows() != 3*want[0] || tpl.Targets != 3*want[1] || tpl.Deep != 3*want[2] || len(tpl.Components) != 3 {
			t.Errorf("%s: %d terms, %d targets, %d outputs, %d components", name, tpl.Rows(), tpl.Targets, tpl.Deep, len(tpl.Components))
		}
		most := 0.0
		for g := range slices.Chunk(m.Outputs, 10) {
			most += slices.Max(g) / float64(len(m.Outputs)/10)
		}
		if sharp := strings.HasSuffix(name, "sharp"); sharp != (most > 0.95) {
			t.Errorf("%s: the largest output is %v on average", name, most)
		}
	}
}

func TestMoved(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, name := range []string{"chain", "add1-sharp", "add2-soft", "knn-labels", "citation"} {
		m := model(t, name, 8000)
		moved := m.Moved(rng, 1e-2)
		require.Equalf(t, len(m.Outputs), len(moved), "%s", name)
		for from := 0; from < len(moved); from += m.Width {
			sum, most := 0.0, 0.0
			for i := from; i < from+m.Width; i++ {
				sum += moved[i]
				most = max(most, math.Abs(moved[i]-m.Outputs[i]))
				if moved[i] < 0 || moved[i] > 1 {
					t.Fatalf("%s: output %v", name, moved[i])
				}
			}
			if most > 1e-2+1e-12 || m.Width > 1 && (most < 1e-2-1e-12 || math.Abs(sum-1) > 1e-9) {
				t.Fatalf("%s: moved by %v to a sum of %v", name, most, sum)
			}
		}
	}
}

func TestErrors(t *testing.T) {
	if _, err := Find("maze"); err == nil || !strings.Contains(err.Error(), "chain") {
		t.Error(err)
	}
	for _, n := range []int{0, 1<<30 + 1} {
		if _, err := all[0].Model(n, 1); err == nil {
			t.Errorf("a model of %d terms", n)
		}
	}
	m, err := all[0].Model(100, 1)
	require.NoError(t, err)
	m.Terms++
	if _, err := m.Ground(context.Background()); err == nil {
		t.Error("a wrong number of terms is not noticed")
	}
}
