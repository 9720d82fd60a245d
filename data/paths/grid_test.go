package paths

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// least is the cost of the cheapest path by relaxing every step until nothing changes.
func least(next [][]int, costs []float64) float64 {
	d := make([]float64, len(next))
	for i := range d {
		d[i] = math.Inf(1)
	}
	d[0] = costs[0]
	for changed := true; changed; {
		changed = false
		for from, others := range next {
			for _, to := range others {
				if v := d[from] + costs[to]; v < d[to] {
					d[to], changed = v, true
				}
			}
		}
	}
	return d[len(d)-1]
}

// TestShortest: on random grids the path is one, costs what is said, and no other costs
// less; it has one order.
func TestShortest(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		side := 2 + rng.IntN(7)
		next, costs := Neighbours(side), make([]float64, side*side)
		for i := range costs {
			costs[i] = float64(1 + rng.IntN(10))
		}
		path, cost := Shortest(next, costs)
		if want := least(next, costs); cost != want || Cost(costs, path) != want {
			t.Fatalf("side %d: cost %v, the path's %v, want %v", side, cost, Cost(costs, path), want)
		}
		on := make([]uint8, len(costs))
		for _, cell := range path {
			on[cell] = 1
		}
		again, err := Order(next, on)
		require.NoError(t, err)
		for i, cell := range again {
			if cell != path[i] {
				t.Fatalf("order %v of %v", again, path)
			}
		}
	}
}

func TestOrderRefuses(t *testing.T) {
	apart := make([]uint8, 25) // the diagonal, and a corner that is not on it
	for _, cell := range []int{0, 6, 12, 18, 24, 4} {
		apart[cell] = 1
	}
	for want, on := range map[string][]uint8{
		"the path leaves out": {0, 1, 0, 0, 0, 1, 0, 0, 1},
		"a cell is marked 2":  {1, 2, 0, 0, 0, 1, 0, 0, 1},
		"the path ends at":    {1, 0, 0, 0, 0, 0, 0, 0, 1},
		"the path forks at":   {1, 1, 0, 1, 0, 1, 0, 1, 1},
		"1 cells are marked":  apart,
	} {
		side := 3
		if len(on) == 25 {
			side = 5
		}
		if _, err := Order(Neighbours(side), on); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", on, err, want)
		}
	}
}

// TestMisread says how many paths on 12×12 digits a reader gets right that takes a share of
// them for another: what a figure on digits is to be held against. -v shows it.
func TestMisread(t *testing.T) {
	next, grids, last := Neighbours(12), 1500, 1.1
	for _, share := range []float64{0, 0.002, 0.004, 0.008} {
		rng, right := rand.New(rand.NewPCG(1, 2)), 0
		for range grids {
			costs, read := make([]float64, len(next)), make([]float64, len(next))
			for i := range costs {
				digit := rng.IntN(10)
				costs[i], read[i] = float64(digit+1), float64(digit+1)
				if rng.Float64() < share {
					read[i] = float64((digit+1+rng.IntN(9))%10 + 1)
				}
			}
			path, _ := Shortest(next, read)
			if _, least := Shortest(next, costs); Cost(costs, path) == least {
				right++
			}
		}
		of := float64(right) / float64(grids)
		t.Logf("%.1f %% misread: %.1f %% right", 100*share, 100*of)
		if share == 0 && of != 1 || !(of < last && of > 0.85) {
			t.Errorf("%v of the digits misread: %v right, after %v", share, of, last)
		}
		last = of
	}
}

// A cell of infinite cost is a wall, and behind walls there is no path.
func TestShortestWalls(t *testing.T) {
	wall := math.Inf(1)
	path, cost := Shortest(Neighbours(3), []float64{1, wall, 1, wall, 2, wall, 1, wall, 1})
	require.Equal(t, []int{0, 4, 8}, path)
	require.Equal(t, 4., cost)
	for _, costs := range [][]float64{{1, wall, 1, wall, wall, wall, 1, wall, 1}, {wall, 1, 1, 1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1, 1, 1, wall}} {
		path, cost = Shortest(Neighbours(3), costs)
		require.Nil(t, path)
		require.Equal(t, wall, cost)
	}
}
