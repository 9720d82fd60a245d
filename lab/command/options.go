package command

import (
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"hinge/app/cli"
	"hinge/lab/bench"
	"hinge/symbolic/familytest"
	"hinge/symbolic/infer"
	"hinge/train/learning"
)

// options are the resolved command line.
type options struct {
	plan     bench.Plan
	suite    bench.Suite
	out      string
	profiles string
	costs    string // file for the costs of auto, empty without -calibrate
}

// logPath is the file of rows beside the tables.
func (o *options) logPath() string {
	return strings.TrimSuffix(o.out, filepath.Ext(o.out)) + ".jsonl"
}

// parse reads the command line. -quick changes defaults only.
func parse(args []string, usageTo io.Writer) (*options, error) {
	o := new(options)
	var suite, methods, names, sizes, cases, data string
	var limit, baseline, gap float64
	var memory int64
	var quick, calibrate bool
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	exact := infer.Having(func(c infer.Capabilities) bool { return c.Exact })
	f.StringVar(&suite, "suite", "inference", "what to measure: inference")
	f.StringVar(&methods, "methods", "", "inference methods, with commas (default all; -quick: "+strings.Join(exact, ",")+")")
	f.StringVar(&names, "families", "all", "families of generated models, with commas: all, none or "+strings.Join(familytest.Names(), ", "))
	f.StringVar(&sizes, "sizes", "", "ground terms of generated models (default 1e3,1e4,1e5,1e6,1e7; -quick: 1e3,1e4)")
	f.StringVar(&cases, "cases", os.Getenv("HINGE_CASES"), "`folder` with solved cases (also HINGE_CASES)")
	f.StringVar(&data, "data", os.Getenv("HINGE_DATA"), "data root `folder` with cora/linqs (also HINGE_DATA)")
	f.StringVar(&o.out, "out", filepath.Join("lab", "benchmarks", "inference.md"), "`file` for the tables; rows go to the same name with .jsonl")
	f.StringVar(&o.profiles, "profiles", "", "write processor profiles to this `folder`")
	f.Float64Var(&limit, "limit", 0, "time limit of a solve in seconds (default 100; -quick: 5)")
	f.Float64Var(&baseline, "limit-baselines", 0, "the same for methods other than "+strings.Join(exact, " and ")+" (default 8; -quick: 2)")
	f.Float64Var(&gap, "gap", 1e-6, "duality gap, per component, to solve to")
	f.Int64Var(&memory, "memory", 4000, "memory limit of a measuring process in MB")
	f.Uint64Var(&o.plan.Seed, "seed", 1, "seed of generated models")
	f.BoolVar(&calibrate, "calibrate", false, "measure auto with each of its approaches, -sizes 1e4,1e5,3e5 by default, and write the table of costs that it chooses by")
	f.StringVar(&o.costs, "costs", filepath.Join("symbolic", "infer", "costs.json"), "-calibrate: `file` for the table of costs")
	f.BoolVar(&quick, "quick", false, "small sizes, exact methods, short limits")
	set, err := cli.Parse(f, args, "bench [flags]", usageTo)
	if err != nil {
		return nil, err
	}
	if len(args) == 0 { // hours of measuring are asked for by name
		return nil, cli.Usage("name what to make: -table 4, say, or -suite inference; bench -h lists the flags")
	}
	repeat := time.Second
	// Those that end near the optimum by a rule of their own prove no gap.
	proving := infer.Having(func(c infer.Capabilities) bool { return c.ProvesGap })
	all, decades := strings.Join(proving, ","), "1e3,1e4,1e5,1e6,1e7"
	if quick {
		all, decades, repeat = strings.Join(exact, ","), "1e3,1e4", 200*time.Millisecond
	}
	if calibrate {
		all, decades = strings.Join(bench.Approaches, ","), "1e4,1e5,3e5"
		if !set["out"] {
			o.out = filepath.Join("lab", "benchmarks", "costs.md")
		}
		if !set["families"] { // those of large components
			names = "chain,grid,picture,cube,knn-regression,knn-labels,citation"
		}
	} else {
		o.costs = ""
	}
	for _, d := range []struct {
		flag  string
		value *string
		or    string
	}{{"methods", &methods, all}, {"sizes", &sizes, decades}} {
		if !set[d.flag] {
			*d.value = d.or
		}
	}
	for _, d := range []struct {
		flag        string
		value       *float64
		full, quick float64
	}{{"limit", &limit, 100, 5}, {"limit-baselines", &baseline, 8, 2}} {
		switch {
		case set[d.flag]:
		case quick:
			*d.value = d.quick
		default:
			*d.value = d.full
		}
		if !(*d.value > 0 && *d.value <= 1e6) {
			return nil, cli.Usage("-%s %v is not between 0 and 1e6 seconds", d.flag, *d.value)
		}
	}
	switch {
	case set["costs"] && !calibrate:
		return nil, cli.Usage("-costs names the file of -calibrate, which is missing")
	case suite != "inference":
		return nil, cli.Usage("-suite %q is none of inference", suite)
	case !(gap > 0) || math.IsInf(gap, 0):
		return nil, cli.Usage("-gap %v is not a finite number > 0", gap)
	case memory < 1 || memory > 1<<30:
		return nil, cli.Usage("-memory %d is not between 1 and 2³⁰ MB", memory)
	case o.out == "" || filepath.Ext(o.out) == ".jsonl":
		return nil, cli.Usage("-out %q: want a file for tables, such as lab/benchmarks/inference.md", o.out)
	}
	o.plan.Gap = gap
	o.suite.Limit, o.suite.Baseline = time.Duration(limit*float64(time.Second)), time.Duration(baseline*float64(time.Second))
	o.suite.Repeat = repeat
	o.suite.Memory, o.suite.Profiles = memory*1e6, o.profiles
	if err := o.choose(methods, names, sizes); err != nil {
		return nil, err
	}
	return o, o.files(cases, data)
}

// choose resolves the lists of methods, families and sizes.
func (o *options) choose(methods, names, sizes string) error {
	o.plan.Methods = list(methods)
	for _, m := range o.plan.Methods {
		if _, err := bench.Method(m); err != nil {
			return cli.Usage("-methods: %q is none of %s", m, strings.Join(infer.Names(), ", "))
		}
	}
	if len(o.plan.Methods) == 0 {
		return cli.Usage("-methods: none given")
	}
	switch names {
	case "all":
		o.plan.Models = familytest.Names()
	case "none":
	default:
		o.plan.Models = list(names)
		for _, n := range o.plan.Models {
			if _, err := familytest.Find(n); err != nil {
				return cli.Usage("-families: %q is none of %s", n, strings.Join(familytest.Names(), ", "))
			}
		}
	}
	for _, s := range list(sizes) {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil || !(v >= 1 && v <= 1<<30) {
			return cli.Usage("-sizes: %q is not a number from 1 to 2³⁰", s)
		}
		o.plan.Sizes = append(o.plan.Sizes, int(v))
	}
	if len(o.plan.Sizes) == 0 && len(o.plan.Models) > 0 {
		return cli.Usage("-sizes: none given")
	}
	return nil
}

// files adds the models that lie in files.
func (o *options) files(cases, data string) error {
	if cases != "" {
		found, err := bench.CaseNames(cases)
		if err != nil {
			return &learning.DataError{Err: fmt.Errorf("-cases: %w", err)}
		}
		o.suite.Sources.Cases = cases
		for _, name := range found {
			o.plan.Models = append(o.plan.Models, bench.CasePrefix+name)
		}
	}
	if data != "" {
		dir := filepath.Join(data, "cora", "linqs")
		if _, err := os.Stat(dir); err != nil {
			return &learning.DataError{Err: fmt.Errorf("-data: %w", err)}
		}
		o.suite.Sources.Cora = dir
		o.plan.Models = append(o.plan.Models, bench.CoraName)
	}
	if len(o.plan.Models) == 0 {
		return cli.Usage("nothing to measure: no families, cases or data")
	}
	return nil
}

// list splits at commas and drops empty entries.
func list(s string) []string {
	return slices.DeleteFunc(strings.Split(strings.ReplaceAll(s, " ", ""), ","), func(v string) bool { return v == "" })
}
