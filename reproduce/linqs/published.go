package linqs

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
)

// Atom is a line of a file: the arguments and a value in [0, 1], 1 where the file has
// no column for it.
type Atom struct {
	Args  []string
	Value float64
}

// Predicate is a predicate of a published set, and which files it has.
type Predicate struct {
	// Name is that in rules, File the stem of the files' names.
	Name, File string
	Arity      int
	// Given tells that there is FILE_obs.txt, Hidden that there are FILE_targets.txt and
	// FILE_truth.txt.
	Given, Hidden bool
}

// Published is a data set in the layout of the PSL examples: a folder of splits 0 to
// Splits-1, each with the parts learn and eval, each with the files of the predicates,
// in a folder Topic of the part if that is not empty.
type Published struct {
	// Name is that of the data set and of its folder.
	Name, Topic string
	Splits      int
	Predicates  []Predicate
	source      string
}

// Facts are the atoms of a predicate: Given are observed, Hidden are to be inferred,
// with what is true.
type Facts struct{ Given, Hidden []Atom }

// observed lists predicates with observations alone; file names follow from the names.
func observed(arity int, file func(string) string, names ...string) (list []Predicate) {
	for _, name := range names {
		list = append(list, Predicate{Name: name, File: file(name), Arity: arity, Given: true})
	}
	return list
}

// camel writes LocalPro as localPro.
func camel(name string) string { return strings.ToLower(name[:1]) + name[1:] }

// snake writes SimPearsonItems as sim_pearson_items.
func snake(name string) string {
	var b strings.Builder
	for i, c := range name {
		if c >= 'A' && c <= 'Z' {
			if i > 0 {
				b.WriteByte('_')
			}
			c += 'a' - 'A'
		}
		b.WriteRune(c)
	}
	return b.String()
}

const examplesData = "https://linqs-data.soe.ucsc.edu/public/psl-examples-data/"

// UserSimilarities and ItemSimilarities are the relations of Yelp that carry a rating
// from one user, or item, to another; Predictors are what other methods say of a rating.
var (
	ItemSimilarities = []string{"SimPearsonItems", "SimCosineItems", "SimAdjcosItems", "SimMfCosineItems", "SimMfEuclideanItems", "SimContentItemsJaccard"}
	UserSimilarities = []string{"SimPearsonUsers", "SimCosineUsers", "SimMfCosineUsers", "SimMfEuclideanUsers", "UsersAreFriends"}
	Predictors       = []string{"SgdRating", "ItemPearsonRating", "BpmfRating"}
)

// Yelp are ratings of items by users, to be predicted (Kouki et al., HyPER, 2015).
func Yelp() *Published {
	p := []Predicate{{Name: "Rating", File: "rating", Arity: 2, Given: true, Hidden: true}}
	p = append(p, observed(2, snake, "Rated")...)
	p = append(p, observed(2, snake, ItemSimilarities...)...)
	p = append(p, observed(2, snake, UserSimilarities...)...)
	p = append(p, observed(2, snake, Predictors...)...)
	p = append(p, observed(1, snake, "AvgUserRating", "AvgItemRating")...)
	return &Published{Name: "yelp", Splits: 5, Predicates: p,
		source: "Yelp is " + examplesData + "yelp.zip; put its splits 0 to 4 into the folder yelp of the data root"}
}

// FourForums and CreateDebate are debates on abortion, the one of their topics that the
// paper uses: who is for it, and who disagrees with whom (Sridhar et al., 2015).
func FourForums() *Published { return stance("stance-4forums") }

// CreateDebate is like FourForums.
func CreateDebate() *Published { return stance("stance-createdebate") }

func stance(name string) *Published {
	p := []Predicate{
		{Name: "IsProAuth", File: "isProAuth", Arity: 2, Hidden: true},
		{Name: "Disagrees", File: "disagrees", Arity: 2, Hidden: true},
	}
	return &Published{Name: name, Topic: "abortion", Splits: 5,
		Predicates: append(p, observed(2, camel, "LocalPro", "LocalDisagrees", "Responds", "Participates")...),
		source:     "The debates are " + examplesData + name + ".zip; put its splits 0 to 4 into the folder " + name + " of the data root"}
}

// Read reads part "learn" or "eval" of a split from the set's folder: the facts of each
// of the Predicates, in their order. A line must not repeat another; targets must be
// those of the truth, and not be observed. Where the folder has a file SHA256SUMS, the
// files must be those it lists.
func (s *Published) Read(dir string, split int, part string) ([]Facts, error) {
	if split < 0 || split >= s.Splits {
		return nil, fmt.Errorf("linqs: %s: split %d is not between 0 and %d", s.Name, split, s.Splits-1)
	}
	if part != "learn" && part != "eval" {
		return nil, fmt.Errorf("linqs: %s: there is no part %q; there are learn and eval", s.Name, part)
	}
	sums, err := readSums(dir)
	if err != nil {
		return nil, err
	}
	from := reader{set: s, sums: sums, folder: filepath.Join(dir, strconv.Itoa(split), part, s.Topic)}
	list := make([]Facts, len(s.Predicates))
	for i, p := range s.Predicates {
		if list[i], err = from.facts(p); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// reader reads the files of a part.
type reader struct {
	set    *Published
	sums   sums
	folder string
}

// facts reads the files of a predicate.
func (r *reader) facts(p Predicate) (f Facts, err error) {
	given := map[string]bool{}
	if p.Given {
		if f.Given, err = r.atoms(p, "_obs", given, nil); err != nil {
			return f, err
		}
	}
	if !p.Hidden {
		return f, nil
	}
	hidden := map[string]bool{}
	if f.Hidden, err = r.atoms(p, "_truth", hidden, func(key string) error {
		if given[key] {
			return fmt.Errorf("%s(%s) is in %s_obs.txt, too", p.Name, key, p.File)
		}
		return nil
	}); err != nil {
		return f, err
	}
	targets, err := r.atoms(p, "_targets", map[string]bool{}, func(key string) error {
		if !hidden[key] {
			return fmt.Errorf("%s(%s) is not in %s_truth.txt", p.Name, key, p.File)
		}
		return nil
	})
	if err == nil && len(targets) != len(f.Hidden) {
		err = fmt.Errorf("linqs: %s: %d atoms of %s_truth.txt are missing: is the file complete?",
			filepath.Join(r.folder, p.File+"_targets.txt"), len(f.Hidden)-len(targets), p.File)
	}
	return f, err
}

// atoms reads lines of the arguments, and of a value if the first line has one, and
// notes the arguments in seen.
func (r *reader) atoms(p Predicate, kind string, seen map[string]bool, check func(key string) error) (list []Atom, err error) {
	path := filepath.Join(r.folder, p.File+kind+".txt")
	if err := r.sums.check(path); err != nil {
		return nil, err
	}
	columns := 0
	err = eachLineOf(path, r.set.source, p.Arity, p.Arity+1, func(f []string) error {
		if columns == 0 {
			columns = len(f)
		}
		if len(f) != columns {
			return fmt.Errorf("%d fields, and %d in the lines before", len(f), columns)
		}
		a := Atom{Args: f[:p.Arity:p.Arity], Value: 1}
		for _, arg := range a.Args {
			if arg == "" {
				return fmt.Errorf("an argument is empty")
			}
		}
		if columns > p.Arity {
			v, err := strconv.ParseFloat(f[p.Arity], 64)
			if err != nil || !(v >= 0 && v <= 1) {
				return fmt.Errorf("the value %q is not a number in [0, 1]", f[p.Arity])
			}
			a.Value = v
		}
		key := strings.Join(a.Args, ", ")
		if seen[key] {
			return fmt.Errorf("%s(%s) is there twice", p.Name, key)
		}
		if check != nil {
			if err := check(key); err != nil {
				return err
			}
		}
		seen[key] = true
		list = append(list, a)
		return nil
	})
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("linqs: %s: the file is empty", path)
	}
	return list, err
}
