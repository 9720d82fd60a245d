package modelfile

import (
	"fmt"
	"slices"
	"strings"

	"hinge/symbolic/ground"
	"hinge/symbolic/psl"
)

// table is an observed predicate whose rows are examples: they name what networks see. Its arguments
// are values of domains: the arguments of predicates that share a variable in some rule have one
// domain. A domain is of names if no rule has a constant of it and no other predicate observed atoms
// with it: such names say nothing but which atoms belong together.
type table struct {
	ground.PredicateInfo
	names []bool // by argument: its domain is of names
	// like is the first row of the partition with a name for each such argument, no two of a
	// domain equal, that is in a target or an output; problem says why no row can be answered.
	like    []string
	about   []form // of the atoms with names of like and no others
	problem string
}

// form is an atom to make for a row: args[j] is argument from[j] of the row, or stays where
// from[j] is negative.
type form struct {
	predicate string
	args      []string
	from      []int
	target    bool
}

// domains joins the arguments of predicates.
type domains struct {
	parent map[string]string
	bound  map[string]bool // domains that are not of names, by any argument of them
}

func argument(predicate string, i int) string { return fmt.Sprint(strings.ToUpper(predicate), "/", i) }

// of finds the representative of an argument's domain.
func (d *domains) of(argument string) string {
	for d.parent[argument] != "" {
		argument = d.parent[argument]
	}
	return argument
}

// newDomains finds the domains of the arguments in rules.
func newDomains(rules *psl.Program) *domains {
	d := &domains{map[string]string{}, map[string]bool{}}
	for _, r := range rules.Rules {
		variable := map[string]string{}
		for _, a := range r.Atoms() {
			for i, arg := range a.Args {
				at := argument(a.Predicate, i)
				first, known := variable[arg.Name]
				switch {
				case arg.Kind == psl.Constant:
					d.bound[at] = true
				case !known:
					variable[arg.Name] = at
				case d.of(first) != d.of(at):
					d.parent[d.of(at)] = d.of(first)
				}
			}
		}
	}
	return d
}

// names reports whether the domain of an argument of table is of names.
func (d *domains) names(db *ground.Database, table string, i int) bool {
	own := d.of(argument(table, i))
	for at := range d.bound {
		if d.of(at) == own {
			return false
		}
	}
	for _, p := range db.Predicates() {
		for j := range p.Arity {
			if p.Observations > 0 && p.Name != table && d.of(argument(p.Name, j)) == own {
				return false
			}
		}
	}
	return true
}

// tables finds the predicates of which there may be rows: those with atoms that are observed alone
// and an argument whose names are entities of a network.
func (p *part) tables() (list []*table) {
	d := newDomains(p.Rules)
	for _, info := range p.Data.Predicates() {
		if info.Observations == 0 || info.Targets+info.Deep > 0 {
			continue
		}
		t := &table{PredicateInfo: info}
		for i := range info.Arity {
			t.names = append(t.names, d.names(p.Data, info.Name, i))
		}
		if !p.seen(t, d) {
			continue
		}
		t.problem = t.read(p, d)
		list = append(list, t)
	}
	return list
}

// seen reports whether names of a table are entities of a network.
func (p *part) seen(t *table, d *domains) bool {
	for _, q := range p.Predicates {
		if q.Network == nil {
			continue
		}
		for _, j := range q.Network.Entity {
			for i, named := range t.names {
				if named && d.of(argument(t.Name, i)) == d.of(argument(q.Name, j)) {
					return true
				}
			}
		}
	}
	return false
}

// read finds the row that new ones are like and what is about it, and returns what hinders it.
func (t *table) read(p *part, d *domains) (problem string) {
	for a := range p.Data.Atoms(t.Name) {
		if t.distinct(d, a.Args) {
			t.like = a.Args
			if t.about = t.atoms(p.Data, d, a.Args); len(t.about) > 0 {
				break
			}
		}
	}
	if len(t.about) == 0 {
		return "no row of it has targets or outputs of networks that are about it alone"
	}
	for _, info := range p.Data.Predicates() {
		if info.Targets+info.Deep > 0 && !slices.ContainsFunc(t.about, func(e form) bool { return e.predicate == info.Name }) {
			return fmt.Sprintf("no atom of %s is about the row %s alone", info.Name, strings.Join(t.like, ", "))
		}
	}
	return ""
}

// distinct reports whether names of one domain differ.
func (t *table) distinct(d *domains, args []string) bool {
	for i := range args {
		for j := range i {
			if t.names[i] && t.names[j] && args[i] == args[j] && d.of(argument(t.Name, i)) == d.of(argument(t.Name, j)) {
				return false
			}
		}
	}
	return true
}

// atoms lists the targets and outputs that have names of a row, and no other names of the domains
// of its names. The outputs are in the order of the arguments of the row, whatever that of the data.
func (t *table) atoms(db *ground.Database, d *domains, row []string) (list []form) {
	add := func(predicate string, args []string, target bool) {
		e := form{predicate, args, slices.Repeat([]int{-1}, len(args)), target}
		about := false
		for j, arg := range args {
			named := false // the domain has names of the table
			for i := range row {
				if t.names[i] && d.of(argument(t.Name, i)) == d.of(argument(predicate, j)) {
					if named = true; row[i] == arg {
						e.from[j], about = i, true
					}
				}
			}
			if named && e.from[j] < 0 {
				return
			}
		}
		if about {
			list = append(list, e)
		}
	}
	for i := range db.Targets() {
		predicate, args := db.TargetAtom(i)
		add(predicate, args, true)
	}
	targets := len(list)
	for i := range db.DeepAtoms() {
		predicate, args := db.DeepAtom(i)
		add(predicate, args, false)
	}
	slices.SortStableFunc(list[targets:], func(a, b form) int { return slices.Compare(a.from, b.from) })
	return list
}
