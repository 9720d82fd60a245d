package rulemining

import (
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
)

// recordFormat changes when an older program could not read a record, or would read it wrongly.
const recordFormat = "hinge rule search 2"

// record is a search as a gob stream.
type record struct {
	Format   string
	Digest   uint64
	Settings Settings
	Rounds   int
	States   []state
}

type state struct {
	Rules       RuleSet
	Seen        []uint64
	Tried, Kept [MaxLength]int
	Constants   int
}

// ErrOther is the error of Load for a record of other facts or settings.
var ErrOther = errors.New("the record is of other facts or settings")

// Save writes the search after its complete rounds. digest identifies the facts and the names of their
// entities and relations.
func (s *Search) Save(w io.Writer, digest uint64) error {
	out := record{Format: recordFormat, Digest: digest, Settings: s.Settings, Rounds: s.Rounds}
	for _, r := range s.state {
		out.States = append(out.States, state{r.Rules, slices.Sorted(maps.Keys(r.Seen)), r.Tried, r.Kept, r.Constants})
	}
	return gob.NewEncoder(w).Encode(out)
}

// Load reads a search that Save wrote, to go on with it: further rounds give the rules that they would have
// given without the interruption. The error is ErrOther where digest or settings differ.
func Load(from io.Reader, g, asked *Graph, s Settings, digest uint64) (*Search, error) {
	var in record
	if err := gob.NewDecoder(from).Decode(&in); err != nil {
		return nil, fmt.Errorf("the record of the search is damaged: %w", err)
	}
	if in.Format != recordFormat {
		return nil, fmt.Errorf("the record of the search has the format %q, this program reads %q", in.Format, recordFormat)
	}
	search, err := NewSearch(g, asked, s)
	if err != nil {
		return nil, err
	}
	if in.Digest != digest || in.Settings != search.Settings || len(in.States) != g.Relations {
		return nil, ErrOther
	}
	search.Rounds = in.Rounds
	for i, st := range in.States {
		seen := make(map[uint64]struct{}, len(st.Seen))
		for _, h := range st.Seen {
			seen[h] = struct{}{}
		}
		if !st.Rules.within(g) {
			return nil, errors.New("the record of the search is damaged: a rule has a number that the facts do not have")
		}
		search.state[i] = &relation{Rules: st.Rules, Seen: seen, Tried: st.Tried, Kept: st.Kept, Constants: st.Constants}
	}
	return search, nil
}

// within reports whether all numbers of the rules exist in a graph.
func (r *RuleSet) within(g *Graph) bool {
	for i := range r.Paths {
		if r.Paths[i].Body[0] < 0 {
			return false
		}
		for _, s := range r.Paths[i].Body {
			if s < -1 || int(s) >= 2*g.Relations {
				return false
			}
		}
	}
	for _, list := range [2][]ConstantRule{r.Tails, r.Heads} {
		for _, c := range list {
			if c.Constant < 0 || int(c.Constant) >= g.Entities || c.Property < 0 || int(c.Property) >= g.Properties() {
				return false
			}
		}
	}
	return true
}

// Saturated reports whether further rounds can find no rules with constants, and the last
// round has judged no new path rule for a relation.
func (s *Search) Saturated() bool { return s.Rounds > 0 && s.idle }
