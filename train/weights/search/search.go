package search

import (
	"context"
	"fmt"
	"math"
	"slices"

	"hinge/data/jsonl"
)

// Problem describes a search.
type Problem struct {
	// Start are the weights to begin with, one per rule; some methods try them first.
	Start []float64
	// Score rates weights, larger being better. A budget below 1 asks for a cheaper,
	// less exact inference.
	Score func(ctx context.Context, w []float64, budget float64) (float64, error)
	// Seed seeds the draws.
	Seed uint64
	// Observe, if not nil, is called with each score and the number of scores so far.
	Observe func(n int, w []float64, score float64)
}

// Result is the result of a search.
type Result struct {
	// Weights have the largest score at the full budget, Score; the first of equals.
	Weights []float64
	Score   float64
	// At is the number of the trial that found them, from 1, and Trials how many there
	// were.
	At, Trials int
}

// Method is a search method.
type Method interface {
	// Name is the name that the reference gives the method.
	Name() string
	search(*session) error
}

// trial is a line of the journal.
type trial struct {
	Method  string    `json:"method"`
	Weights []float64 `json:"weights"`
	Budget  float64   `json:"budget"`
	Score   float64   `json:"score"`
}

// session is a run of a search.
type session struct {
	Problem
	ctx    context.Context
	method string
	file   string
	known  []trial // of the journal, not yet used
	result Result
}

// Run searches. The journal is a file that need not exist; "" keeps none.
func Run(ctx context.Context, p Problem, m Method, journal string) (*Result, error) {
	if len(p.Start) == 0 {
		return nil, fmt.Errorf("search: there are no weights to search")
	}
	s := &session{Problem: p, ctx: ctx, method: m.Name(), file: journal, result: Result{Score: math.Inf(-1)}}
	if journal != "" {
		var err error
		if s.known, err = jsonl.Read[trial](journal); err != nil {
			return nil, fmt.Errorf("search: %w", err)
		}
	}
	err := m.search(s)
	if err != nil && (ctx.Err() == nil || s.result.Weights == nil) {
		return nil, err
	}
	return &s.result, err
}

// try rates weights, by the journal if it knows them.
func (s *session) try(w []float64, budget float64) (float64, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	n := s.result.Trials + 1
	var score float64
	if len(s.known) > 0 {
		t := s.known[0]
		if t.Method != s.method || !slices.Equal(t.Weights, w) || t.Budget != budget {
			return 0, fmt.Errorf("search: trial %d of the journal %s is of another search; remove the file, or name another folder", n, s.file)
		}
		score, s.known = t.Score, s.known[1:]
	} else {
		var err error
		if score, err = s.Score(s.ctx, w, budget); err != nil {
			return 0, err
		}
		if math.IsNaN(score) || math.IsInf(score, 0) {
			return 0, fmt.Errorf("search: the score of trial %d is %v", n, score)
		}
		if s.file != "" {
			if err := jsonl.Append(s.file, trial{s.method, w, budget, score}); err != nil {
				return 0, fmt.Errorf("search: %w", err)
			}
		}
	}
	s.result.Trials = n
	if budget == 1 && score > s.result.Score {
		s.result.Weights, s.result.Score, s.result.At = slices.Clone(w), score, n
	}
	if s.Observe != nil {
		s.Observe(n, w, score)
	}
	return score, nil
}
