package citation

import (
	"fmt"
	"slices"
	"strings"
)

// Form names one of the two published forms of a data set.
type Form string

const (
	// LINQS is the original form: one line a paper and one line a citation.
	LINQS Form = "linqs"
	// Planetoid is the form of the Planetoid splits, which the paper's deep
	// experiments use. Cora is the same graph in another order; CiteSeer has 15
	// nodes more: the cited papers without content, with no words and, as the
	// usual loaders read them, class 0.
	Planetoid Form = "planetoid"
)

// Forms lists the forms.
func Forms() []string { return []string{string(LINQS), string(Planetoid)} }

// Names lists the data sets that Load knows.
func Names() []string { return []string{"cora", "citeseer"} }

// file is one file of a data set, unpacked, as published.
type file struct {
	name   string
	size   int64
	sha256 string
}

// dataset is one form of one data set: what its files must be, and where their
// publisher offers them.
type dataset struct {
	name    string
	form    Form
	files   []file
	archive string // name of the archive at url that holds the files, or ""
	url     string // folder
	classes []string
}

// find returns the entry of the catalog.
func find(name string, form Form) (*dataset, error) {
	for i := range catalog {
		if d := &catalog[i]; d.name == name && d.form == form {
			return d, nil
		}
	}
	if slices.Contains(Names(), name) {
		return nil, fmt.Errorf("citation: form %q is none of %s", form, strings.Join(Forms(), ", "))
	}
	return nil, fmt.Errorf("citation: data set %q is none of %s", name, strings.Join(Names(), ", "))
}

const (
	linqsURL     = "https://linqs-data.soe.ucsc.edu/public/lbc/"
	planetoidURL = "https://raw.githubusercontent.com/kimiyoung/planetoid/master/data/"
)

// parts are the suffixes of Planetoid's files in the order of the catalog.
var parts = []string{"x", "y", "tx", "ty", "allx", "ally", "graph", "test.index"}

var catalog = []dataset{
	{
		name: "cora", form: LINQS, url: linqsURL, archive: "cora.tgz",
		files: []file{
			{"cora.content", 7823427, "b8ebed0fd45e53995abafd1b70cf6a9fcc8f86abc5826d69b97fe6ca46e9c8ee"},
			{"cora.cites", 69928, "ec1a372391b7f0f60a6aff0084e8abd8f19f0faa7e1f2441a41c492042d5945e"},
		},
	}, {
		name: "citeseer", form: LINQS, url: linqsURL, archive: "citeseer.tgz",
		files: []file{
			{"citeseer.content", 24589190, "de4a3ca98626d77193f27af5c976b981a56080e6273c4e1c05764a95d2143ff8"},
			{"citeseer.cites", 137062, "cd9730630eaaa745058c2cd2cce6b9afb79ca71278a479aebec55f4cf5eb7f30"},
		},
	}, {
		name: "cora", form: Planetoid, url: planetoidURL,
		classes: []string{
			"Theory", "Reinforcement_Learning", "Genetic_Algorithms", "Neural_Networks",
			"Probabilistic_Methods", "Case_Based", "Rule_Learning",
		},
		files: []file{
			{"ind.cora.x", 22119, "23cfa55d91c6f624233f5eb7b6e3f141f1bd2b2ae39608a63cf5d084bb27baab"},
			{"ind.cora.y", 4054, "94465c14eb53e04ca262198dcbb2521ee8af60fb3f3d546cd6ca24a511b0e7d1"},
			{"ind.cora.tx", 148025, "b9afbaa4a400df991f6f02ef677e1e44da55ffc04801fd02f9e673987829226a"},
			{"ind.cora.ty", 28135, "41f5ac76596a1699cc33f53084a2419e92961c42bb75f36fc38e616d348532ad"},
			{"ind.cora.allx", 257305, "9419ba2f26f5c35243db64aba110e0f35a04851609e0dc5433450676ca6b8543"},
			{"ind.cora.ally", 47959, "2b998f5cc7fedc86e7f97ca2498f47a1ffc1462c29e2d578b23bf3f62b6e7d71"},
			{"ind.cora.graph", 59847, "58f13302f39dde8852dad6fe6d15b89b077b6d7f837626bce671ef80344b383d"},
			{"ind.cora.test.index", 5000, "297ce89af2b51a6a194181c7dbe1796c6a1cf9cd9349a88383b1b1e227867875"},
		},
	}, {
		name: "citeseer", form: Planetoid, url: planetoidURL,
		classes: []string{"AI", "ML", "IR", "DB", "Agents", "HCI"},
		files: []file{
			{"ind.citeseer.x", 31087, "d20de19150741e555de0ed037195630fc194114ebc7fd72ced62810148aa22f6"},
			{"ind.citeseer.y", 3014, "8ba87e515d8e3ee3cf52f6d2c5b86aa73f11ecad825a808455209ec26cd54924"},
			{"ind.citeseer.tx", 260321, "539a8906a2da97628d212f2fdd668c109a8b3f0d36574b59e5d3fd5b5303da21"},
			{"ind.citeseer.ty", 24135, "55e5bd1ba1e733a04598753ad1a8d57957f4b8f89e74519f41f4f4938767e4ce"},
			{"ind.citeseer.allx", 595021, "2ac30345d95c9ec933a817ee0bdd6a5f077f8c184a20e696910192d534414668"},
			{"ind.citeseer.ally", 55623, "f704b2d986dde6c2669934de1f3ae5696a6cf9455c0f6b2646a2d135ea0a1c95"},
			{"ind.citeseer.graph", 61987, "d79a4ef9d3e7169aee8946145f6b7306e35bc79bffad26346cfb94e10e9912a7"},
			{"ind.citeseer.test.index", 5000, "2af990671580b6b2df5d158d1038f8292e30c9cd821b5453f399659b25b723d4"},
		},
	},
}

// parse makes the graph from the contents of the files, in catalog order.
func (d *dataset) parse(contents [][]byte) (*Graph, error) {
	if d.form == LINQS {
		return readLINQS(d.name, contents[0], contents[1]), nil
	}
	return readPlanetoid(d.name, d.classes, contents)
}
