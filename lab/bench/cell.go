package bench

import (
	"fmt"
	"time"

	"hinge/symbolic/infer"
	"hinge/train/machine"
)

// Cell is one measurement: a method on a model of a size.
type Cell struct {
	// Model is the name of a family, or Cora, or CasePrefix and the name of a
	// folder with a solved case.
	Model string `json:"model"`
	// Size is the number of ground terms asked for; 0 where the model has only
	// one size.
	Size int `json:"size"`
	// Method is the inference method.
	Method string `json:"method"`
	// Seed is that of the generator.
	Seed uint64 `json:"seed"`
	// Gap is what the cell is solved to, absolute and per component, or 1e-8 of its value.
	Gap float64 `json:"gap_wanted"`
}

// Names of models that are not families.
const (
	CoraName   = "cora"
	CasePrefix = "case:"
)

// String is the cell as progress shows it.
func (c Cell) String() string {
	if c.Size == 0 {
		return c.Model + " " + c.Method
	}
	return fmt.Sprintf("%s %s %s", c.Model, magnitude(c.Size), c.Method)
}

// Stage says how far a measurement has come.
type Stage string

// Stages in their order.
const (
	Started  Stage = "started"
	Grounded Stage = "grounded"
	Cold     Stage = "cold"
	Done     Stage = "done"
)

// Row is what was measured for a cell: one line of the log. Times are wall
// seconds, 0 where not measured.
type Row struct {
	Cell
	// Stage is the last one reached, Status in words how the cell ended:
	// solved, almost solved, …, or one of TimeLimit, MemoryLimit, Failed.
	Stage  Stage  `json:"stage"`
	Status string `json:"status"`
	// Error tells what failed.
	Error string `json:"error,omitempty"`
	// Limit is the time limit that applied to each solve, in seconds.
	Limit float64 `json:"limit_s"`

	// Sizes of the ground program; Largest is the number of targets of the
	// largest component.
	Terms      int `json:"terms"`
	Targets    int `json:"targets"`
	Components int `json:"components"`
	Largest    int `json:"largest"`

	// Generate is making or reading the model, Ground grounding, Compile the
	// step from the ground program to the LCQP.
	Generate Time `json:"generate"`
	Ground   Time `json:"ground"`
	Compile  Time `json:"compile"`
	// First is the first solve of the process, from zero; Again the best of the
	// next solves from zero, which find their storage in place. Long solves are
	// not repeated.
	First Time `json:"first"`
	Again Time `json:"again"`
	// Changed is the best solve from zero, and Warm the best from the previous
	// solution, after the outputs or constants have moved by Move.
	Changed    Time   `json:"changed"`
	Warm       Time   `json:"warm"`
	WarmStatus string `json:"warm_status,omitempty"`

	// Value is the regularised value, Energy the raw energy. Error in the
	// value, against a solved case, is ValueError; NaN is not written.
	Value      float64  `json:"value"`
	Energy     float64  `json:"energy"`
	ValueError *float64 `json:"value_error,omitempty"`
	// Gap is the largest duality gap of a component, Violation the largest of a
	// hard rule or bound and Residual the largest optimality residual, both
	// from lcqp.Residuals.
	Gap       float64 `json:"gap"`
	Violation float64 `json:"violation"`
	Residual  float64 `json:"residual"`
	// Iterations is the largest number that a component took; Stats is the work
	// of all components.
	Iterations int         `json:"iterations"`
	Stats      infer.Stats `json:"stats"`
	// Begun is what auto began with, of the largest component and those like it.
	Begun infer.Choice `json:"begun,omitzero"`
	// GroundPeak and Peak are the peak memory of the process, in bytes, after
	// compiling and after the first solve.
	GroundPeak int64 `json:"ground_peak_bytes"`
	Peak       int64 `json:"peak_bytes"`

	// Where and when.
	Date    time.Time       `json:"date"`
	Build   string          `json:"build"`
	Version string          `json:"version"`
	Machine machine.Machine `json:"machine"`
}

// Time is how long something took, in seconds: on the clock, and on all
// processors together. On a busy machine the second is the one to compare.
type Time struct {
	Wall float64 `json:"wall_s"`
	CPU  float64 `json:"cpu_s"`
}

// Words for Status beside those of the solvers.
const (
	TimeLimit   = "time limit"
	MemoryLimit = "memory limit"
	Failed      = "failed"
)

// Solved reports whether the solver reached its tolerances.
func (r *Row) Solved() bool { return r.Status == "solved" || r.Status == "almost solved" }

// Limited reports whether the cell was stopped or refused, so that larger ones need
// not be tried.
func (r *Row) Limited() bool {
	return r.Status == TimeLimit || r.Status == MemoryLimit || r.Status == word(infer.TooLarge)
}
