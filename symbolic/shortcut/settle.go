package shortcut

import (
	"fmt"
	"slices"
)

// Settle returns a set of exemplars such that labels of them leave only the true map. For each
// it takes one labelled entity, or as many as the networks need to distinguish the exemplar
// from others. In a group with few exemplars it returns a smallest such set; otherwise it
// takes, again and again, the exemplar that excludes the most maps. The set is empty if only
// the true map is left already. If the count is not Complete, maps that were not found may
// remain.
func (r *Result) Settle() (labels []int) {
	for i := range r.Groups {
		g := &r.Groups[i]
		var open [][]bool // of each other map: the exemplars that it moves
		seen := map[string]bool{}
	maps:
		for n := range g.Maps {
			moved := make([]bool, len(g.Exemplars))
			for k, e := range g.Exemplars {
				if moved[k] = r.moved(g, n, k); moved[k] && slices.Contains(labels, e) {
					continue maps
				}
			}
			if key := fmt.Sprint(moved); n > 0 && !seen[key] {
				seen[key] = true
				open = append(open, moved)
			}
		}
		for _, k := range hitting(open, len(g.Exemplars)) {
			labels = append(labels, g.Exemplars[k])
		}
	}
	slices.Sort(labels)
	return labels
}

// most is the number of looks at a set for which the smallest one is searched.
const most = 1_000_000

// hitting returns numbers below n such that every set contains one of them.
func hitting(sets [][]bool, n int) []int {
	looks := len(sets)
	for size := 0; size <= n; size++ {
		if looks > most {
			return greedy(sets, n)
		}
		if choice := choose(sets, nil, 0, n, size); choice != nil {
			return choice
		}
		looks = looks * (n - size) / (size + 1)
	}
	return greedy(sets, n) // not reached: all of them hit every set
}

// choose returns size more numbers, of those from from on, with which every set is hit, or nil.
func choose(sets [][]bool, choice []int, from, n, size int) []int {
	if size == 0 {
		for _, s := range sets {
			if !slices.ContainsFunc(choice, func(k int) bool { return s[k] }) {
				return nil
			}
		}
		return append([]int{}, choice...)
	}
	for k := from; k+size <= n; k++ {
		if found := choose(sets, append(choice, k), k+1, n, size-1); found != nil {
			return found
		}
	}
	return nil
}

// greedy takes the number that hits the most sets until none is left.
func greedy(sets [][]bool, n int) (choice []int) {
	for len(sets) > 0 {
		best, hits := -1, 0
		for k := range n {
			h := 0
			for _, s := range sets {
				if s[k] {
					h++
				}
			}
			if h > hits {
				best, hits = k, h
			}
		}
		choice = append(choice, best)
		sets = slices.DeleteFunc(sets, func(s []bool) bool { return s[best] })
	}
	return choice
}
