package evaluate

import "math"

// Calibration compares beliefs with how often they are right.
type Calibration struct {
	Name string `json:"name"`
	// Bins are the bins that contain beliefs, from low to high.
	Bins []Bin `json:"bins"`
	// Error is the expected calibration error, Σ_b n_b/n · |Right − Belief| of the bins b.
	Error float64 `json:"error"`
}

// Bin is one of Bins parts of [0, 1], of equal width.
type Bin struct {
	Count int `json:"count"`
	// Belief is the mean belief, Right the share of them that were right.
	Belief float64 `json:"belief"`
	Right  float64 `json:"right"`
}

// Bins is the number of parts that Calibrate divides [0, 1] into.
const Bins = 15

// Calibrate sums up beliefs and whether each was right. A belief outside [0, 1] counts as the
// nearest number within. Value decides its bin, so that equal beliefs share one, whichever side of
// its edge a solver ends on.
func Calibrate(name string, belief []float64, right []bool) Calibration {
	var all [Bins]Bin
	for i, b := range belief {
		b = min(max(finite(b), 0), 1)
		bin := &all[min(int(Value(b)*Bins), Bins-1)]
		bin.Count++
		bin.Belief += b
		if right[i] {
			bin.Right++
		}
	}
	c := Calibration{Name: name}
	for _, b := range all {
		if b.Count == 0 {
			continue
		}
		n := float64(b.Count)
		b.Belief, b.Right = b.Belief/n, b.Right/n
		c.Error += n / float64(len(belief)) * math.Abs(b.Belief-b.Right)
		c.Bins = append(c.Bins, b)
	}
	return c
}
