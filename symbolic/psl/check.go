package psl

import (
	"fmt"
	"slices"
)

// check finds rules that parse but mean nothing: variables that no atom binds,
// misused summation variables, filters about nothing.
// It panics with the first as an *Error, as the parser does.
func (r *Rule) check() {
	if r.Logical != nil {
		r.checkLogical()
	} else {
		r.checkArithmetic()
	}
}

// checkLogical requires each variable to occur in an atom that must be true
// for the rule to be broken: only those atoms are looked up in the data.
func (r *Rule) checkLogical() {
	bound := map[string]bool{}
	atoms := 0
	for _, l := range r.Logical.Conjunction() {
		if l.Atom == nil {
			continue
		}
		atoms++
		if !l.Negated {
			for _, a := range l.Atom.Args {
				bound[a.Name] = bound[a.Name] || a.Kind == Variable
			}
		}
	}
	if atoms == 0 {
		panic(r.ErrorAt(r.Pos, "the rule has no atom", ""))
	}
	const hint = "each variable must occur in a positive atom of the body or a negated atom of the head; " +
		"write a positive prior as an arithmetic rule: 1: P(X) = 1"
	for _, l := range slices.Concat(r.Logical.Body, r.Logical.Head) {
		for _, a := range l.args() {
			if a.Kind == Variable && !bound[a.Name] {
				msg := "the variable " + a.Name + " is not bound"
				if atoms == 1 && l.Atom != nil && !l.Negated {
					msg += "; write a positive prior as " + l.Atom.String() + " = 1"
				}
				panic(r.ErrorAt(a.Pos, msg, hint))
			}
		}
	}
}

func (r *Rule) checkArithmetic() {
	a := r.Arithmetic
	ordinary, summed := map[string]bool{}, map[string]bool{}
	var names []string
	atoms := 0
	for _, side := range []*Linear{&a.Left, &a.Right} {
		for _, t := range side.Terms {
			atoms++
			for _, arg := range t.Atom.Args {
				switch {
				case arg.Kind == Summation && summed[arg.Name]:
					panic(r.ErrorAt(arg.Pos, "the summation variable +"+arg.Name+" occurs twice",
						"sums are independent: give each its own variable"))
				case arg.Kind == Summation:
					summed[arg.Name] = true
				case arg.Kind == Variable:
					ordinary[arg.Name] = true
				default:
					continue
				}
				names = append(names, arg.Name)
			}
		}
	}
	if atoms == 0 {
		panic(r.ErrorAt(r.Pos, "the rule has no atom", ""))
	}
	for _, side := range []*Linear{&a.Left, &a.Right} {
		for _, t := range side.Terms {
			for _, arg := range t.Atom.Args {
				if arg.Kind == Variable && summed[arg.Name] {
					panic(r.ErrorAt(arg.Pos, fmt.Sprintf("%s is both a summation variable and an ordinary one", arg.Name),
						"rename one of them"))
				}
			}
			r.checkCardinality(t.Coef, summed)
		}
		r.checkCardinality(side.Const, summed)
	}
	for _, c := range a.Where {
		for _, arg := range []Arg{c.Left, c.Right} {
			if arg.Kind == Variable && !ordinary[arg.Name] {
				panic(r.ErrorAt(arg.Pos, "the variable "+arg.Name+" is not bound", "compare variables that occur in an atom of the rule, not summed over"))
			}
		}
	}
	filtered := map[string]bool{}
	for _, f := range a.Filters {
		if !summed[f.Var] {
			hint := DidYouMean(f.Var, names)
			if ordinary[f.Var] {
				hint = "put its atoms into the rule with the factor 0, such as 0 * P(" + f.Var + "): they restrict " + f.Var
			}
			panic(r.ErrorAt(f.Pos, "the filter is about "+f.Var+", which is not a summation variable of this rule", hint))
		}
		if filtered[f.Var] {
			panic(r.ErrorAt(f.Pos, "there are two filters for "+f.Var, "join the conditions with &"))
		}
		filtered[f.Var] = true
		r.checkFilter(&f, ordinary, names)
	}
}

// checkCardinality requires |B| to be about a summation variable.
func (r *Rule) checkCardinality(e Expr, summed map[string]bool) {
	switch e := e.(type) {
	case Cardinality:
		if !summed[e.Var] {
			panic(r.ErrorAt(e.Pos, "|"+e.Var+"| counts the values of a summation variable, but the rule has no +"+e.Var, ""))
		}
	case *Binary:
		r.checkCardinality(e.X, summed)
		r.checkCardinality(e.Y, summed)
	}
}

// checkFilter requires the variables of a filter to be its own or ordinary.
func (r *Rule) checkFilter(f *Filter, ordinary map[string]bool, names []string) {
	f.Cond.literals(func(l *Literal) {
		for _, a := range l.args() {
			if a.Kind == Variable && a.Name != f.Var && !ordinary[a.Name] {
				hint := DidYouMean(a.Name, names)
				if slices.Contains(names, a.Name) {
					hint = "sums are independent: a filter cannot compare " + f.Var + " with " + a.Name
				}
				panic(r.ErrorAt(a.Pos, "the filter uses "+a.Name+", which is neither "+f.Var+" nor an ordinary variable of the rule", hint))
			}
		}
	})
}
