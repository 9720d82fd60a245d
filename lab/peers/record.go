package main

import (
	"path/filepath"
	"time"

	"hinge/data/jsonl"
	"hinge/train/machine"
)

// record is one case as it was measured.
type record struct {
	Question string `json:"question"`
	// Group and Case name what was computed, with Threads threads each.
	Group   string `json:"group"`
	Case    string `json:"case"`
	Threads int    `json:"threads"`
	// Sides are Hinge and its peers, in the order in which they took turns.
	Sides []result `json:"sides"`
	// Load is the load average of the last minute before the first answer.
	Load string `json:"load"`
	// Ahead says that the programs had the priority of real time, ahead of others of the machine.
	Ahead bool `json:"ahead,omitempty"`
	// Quick marks a trial.
	Quick   bool            `json:"quick,omitempty"`
	Date    time.Time       `json:"date"`
	Version string          `json:"version"`
	Path    string          `json:"kernels"`
	Machine machine.Machine `json:"machine"`
}

// result is what a side did.
type result struct {
	Name string `json:"name"`
	// Version names the packages that computed, with their versions.
	Version string `json:"version,omitempty"`
	// Own says that it is Hinge.
	Own bool `json:"own,omitempty"`
	// Wall and CPU are the seconds of each alternation that the clock and all processors took
	// for the work once; CPU is 0 where the system does not tell.
	Wall []float64 `json:"wall_s,omitempty"`
	CPU  []float64 `json:"cpu_s,omitempty"`
	// Peak is the largest resident memory of its processes together, in bytes.
	Peak int64 `json:"peak_bytes,omitempty"`
	// Figures are further numbers of the last answer, such as an accuracy.
	Figures map[string]float64 `json:"figures,omitempty"`
	// Failed says why there is no answer, Wrong why the answer does not count.
	Failed string `json:"failed,omitempty"`
	Wrong  string `json:"wrong,omitempty"`
}

func (r *result) counts() bool { return r.Failed == "" && r.Wrong == "" && len(r.Wall) > 0 }

// key is what tells cases apart.
type key struct {
	Group, Case string
	Threads     int
	Machine     string
}

func (r *record) key() key { return key{r.Group, r.Case, r.Threads, r.Machine.String()} }

func recordFile(dir, question string) string { return filepath.Join(dir, question+".jsonl") }

// readRecords reads the records of a question; a file that does not exist has none.
func readRecords(dir, question string) ([]record, error) {
	return jsonl.Read[record](recordFile(dir, question))
}

// latest returns the last record of each case, in the order in which the cases were first
// measured.
func latest(records []record) []record {
	at := map[key]int{}
	var list []record
	for _, r := range records {
		if i, ok := at[r.key()]; ok {
			list[i] = r
			continue
		}
		at[r.key()] = len(list)
		list = append(list, r)
	}
	return list
}
