package linqs

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"hinge/symbolic/facts"
	"hinge/symbolic/ground"
)

// Predicate is a predicate of a published set, and which files it has.
type Predicate struct {
	// Name is that in rules, File the stem of the files' names.
	Name, File string
	Arity      int
	// Given reports whether there is FILE_obs.txt, Hidden whether there are FILE_targets.txt and
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

// Load reads part "learn" or "eval" of a split from the set's folder into a database of
// its own. Where the folder has a file SHA256SUMS, the files must be those it lists. A
// mistake in a file, and a file that is not there, are a *facts.Error.
func (s *Published) Load(dir string, split int, part string) (*ground.Database, error) {
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
	db := ground.NewDatabase()
	load := func(section ground.Section, p Predicate, kind string) error {
		path := filepath.Join(dir, strconv.Itoa(split), part, s.Topic, p.File+kind+".txt")
		if err := sums.check(path); err != nil {
			return err
		}
		src, err := open(path, s.source)
		if err != nil {
			return err
		}
		return src.Read(context.Background(), p.Arity, func(r *facts.Row) error {
			if err := db.Add(section, p.Name, r.Value, r.Args...); err != nil {
				return r.Fail(err.Error())
			}
			return nil
		})
	}
	for _, p := range s.Predicates {
		err := db.Predicate(p.Name, p.Arity)
		if err == nil && p.Given {
			err = load(ground.Observations, p, "_obs")
		}
		if err == nil && p.Hidden {
			err = load(ground.Targets, p, "_targets")
		}
		if err == nil && p.Hidden {
			err = load(ground.Truths, p, "_truth")
		}
		if err != nil {
			return nil, err
		}
	}
	return db, s.complete(db)
}

// complete checks that every predicate has atoms, and that the truth and the targets are
// about the same ones.
func (s *Published) complete(db *ground.Database) error {
	for i, has := range db.Predicates() {
		p := &s.Predicates[i]
		if p.Given && has.Observations == 0 || p.Hidden && has.Targets == 0 {
			return fmt.Errorf("linqs: %s: a file of %s is empty", s.Name, p.File)
		}
		if n, first := db.StrayTruths(p.Name); n > 0 {
			return fmt.Errorf("linqs: %s: %d atoms of %s_truth.txt, first %s, are no targets: are the files complete?", s.Name, n, p.File, strings.Join(first, ", "))
		}
		if p.Hidden && has.Truths != has.Targets {
			return fmt.Errorf("linqs: %s: %d atoms of %s_targets.txt have no truth: are the files complete?", s.Name, has.Targets-has.Truths, p.File)
		}
	}
	return nil
}
