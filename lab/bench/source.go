package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"hinge/symbolic/familytest"
	"hinge/symbolic/ground"
	"hinge/symbolic/hlmrf"
	"hinge/symbolic/lcqp"
	"hinge/symbolic/model"
)

// Move is by how much the neural outputs change between a cold and a warm
// solve: about what one step of learning does. Models without outputs have the
// constants of their potentials moved.
const Move = 1e-2

// Sources says where files lie.
type Sources struct {
	// Cases is the folder of the solved cases, Cora that of Cora's files; empty
	// means that there are none.
	Cases string `json:"cases,omitempty"`
	Cora  string `json:"cora,omitempty"`
}

// source is a model before grounding.
type source struct {
	epsilon float64
	// optimum is the known regularised value, nil if unknown.
	optimum *float64
	// family is nil for a case.
	family *familytest.Model
	model  *model.Model
}

// open makes or reads the model of a cell.
func (s Sources) open(c Cell) (*source, error) {
	if name, ok := strings.CutPrefix(c.Model, CasePrefix); ok {
		return openCase(filepath.Join(s.Cases, name))
	}
	var m *familytest.Model
	var err error
	if c.Model == CoraName {
		m, err = cora(s.Cora, c.Seed)
	} else {
		var f familytest.Family
		if f, err = familytest.Find(c.Model); err == nil {
			m, err = f.Model(c.Size, c.Seed)
		}
	}
	if err != nil {
		return nil, err
	}
	return &source{epsilon: m.Epsilon, family: m}, nil
}

// openCase reads a case: model.json with its data, case.json with ε and the
// optimum.
func openCase(dir string) (*source, error) {
	var about struct {
		Epsilon float64 `json:"epsilon"`
		Optimum struct {
			Regularised *float64 `json:"regularised"`
		} `json:"optimum"`
	}
	path := filepath.Join(dir, "case.json")
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &about); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	m, err := model.Load(filepath.Join(dir, "model.json"), model.LoadOptions{})
	if err != nil {
		return nil, err
	}
	return &source{epsilon: about.Epsilon, optimum: about.Optimum.Regularised, model: m}, nil
}

// ground grounds the model and forgets its data.
func (s *source) ground(ctx context.Context) (*hlmrf.Program, error) {
	if s.model != nil {
		p, err := ground.Ground(ctx, s.model.Rules, s.model.Data, s.model.GroundOptions())
		s.model = nil
		return p, err
	}
	p, err := s.family.Ground(ctx)
	s.family.Data = nil
	return p, err
}

// move changes the outputs, or the constants of the potentials, by at most
// Move.
func (s *source) move(in *lcqp.Instance, rng *rand.Rand) error {
	if s.family != nil && len(s.family.Outputs) > 0 {
		return in.SetDeep(s.family.Moved(rng, Move))
	}
	for k := in.Constraints; k < in.Rows(); k++ {
		in.B[k] += Move * (2*rng.Float64() - 1)
	}
	return nil
}

// CaseNames lists the cases in a folder: its subfolders with a case.json.
func CaseNames(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if _, err := os.Stat(filepath.Join(dir, e.Name(), "case.json")); err == nil {
			names = append(names, e.Name())
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s: no subfolder has a case.json", dir)
	}
	return names, nil
}
