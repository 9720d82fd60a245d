package serve

import (
	_ "embed"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"hinge/data/mnist"
	"hinge/symbolic/ground"
	"hinge/symbolic/psl"
	"hinge/train/modelfile"
)

// explain answers the parts of a multipart form: the name of each is PREDICATE or
// PREDICATE:ENTITY, its content numbers in text, or a picture of a digit; of an observed predicate,
// rows with their fields between tabs or commas.
func (m *fileModel) explain(v *visit, _ http.Header, r *http.Request) ([]byte, error) {
	var inputs []modelfile.Input
	var rows []modelfile.Row
	err := parts(r, "inputs by the names of their predicates", func(name string, data []byte) error {
		if i := slices.IndexFunc(m.rows, func(t ground.PredicateInfo) bool { return strings.EqualFold(t.Name, name) }); i >= 0 {
			for line := range strings.Lines(string(data)) {
				if line = strings.TrimSpace(line); line != "" {
					rows = append(rows, modelfile.Row{Predicate: name, Fields: fieldsOf(line, m.rows[i].Arity)})
				}
			}
			if len(inputs)+len(rows) <= m.set.Examples {
				return nil
			}
		}
		if len(inputs)+len(rows) >= m.set.Examples {
			return fmt.Errorf("more than %d inputs and rows; send more requests", m.set.Examples)
		}
		in, err := m.input(name, data)
		if err != nil {
			return fmt.Errorf("input %d: %w", len(inputs)+1, err)
		}
		inputs = append(inputs, in)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(inputs)+len(rows) == 0 {
		return nil, fail(http.StatusBadRequest, "the form is empty; want inputs by the names of their predicates")
	}
	v.examples, v.read = len(inputs)+len(rows), time.Now()
	p, err := m.ask(r.Context(), inputs, rows)
	v.asked = time.Now()
	if err != nil {
		return nil, err
	}
	return encode(p)
}

// fieldsOf divides a row or an entity at its tabs or, if it has none and more than one field, at its commas.
func fieldsOf(line string, n int) []string {
	between := "\t"
	if n > 1 && !strings.Contains(line, between) {
		between = ","
	}
	fields := strings.Split(line, between)
	for i := range fields {
		fields[i] = strings.TrimSpace(fields[i])
	}
	return fields
}

// input reads a part of a form.
func (m *fileModel) input(name string, data []byte) (in modelfile.Input, err error) {
	network, entity, named := strings.Cut(name, ":")
	in.Network = network
	k := slices.IndexFunc(m.kinds, func(k modelfile.InputKind) bool { return strings.EqualFold(k.Network, network) })
	if named && k >= 0 {
		in.Entity = fieldsOf(entity, m.kinds[k].Fields)
	}
	if !strings.HasPrefix(http.DetectContentType(data), "image/") {
		for _, text := range strings.FieldsFunc(string(data), func(r rune) bool { return strings.ContainsRune(" \t\r\n,;", r) }) {
			v, err := psl.Float(text, 32)
			if err != nil {
				return in, fmt.Errorf("%.40q is no number that a float32 holds", text)
			}
			in.Features = append(in.Features, float32(v))
		}
		return in, nil
	}
	if k >= 0 && m.kinds[k].Pictures {
		in.Features, err = m.ownPicture(data, m.kinds[k].Shape)
		return in, err
	}
	if k >= 0 && !mnist.IsShape(m.kinds[k].Shape) {
		return in, fmt.Errorf("the network of %s takes inputs of shape %v; send its numbers", m.kinds[k].Network, m.kinds[k].Shape)
	}
	pixels := make([]uint8, mnist.Pixels)
	if _, err := m.readPicture(pixels, data); err != nil {
		return in, err
	}
	for _, v := range pixels {
		in.Features = append(in.Features, float32(v)/255)
	}
	return in, nil
}

//go:embed file.html
var fileText string

//go:embed file.js
var fileScript string

// shownEntities is how many entities the page offers by name.
const shownEntities = 1000

// page is the page of a model in files.
func (m *fileModel) page() http.Handler {
	type network struct {
		Name     string
		Numbers  int
		Shape    string
		Pictures bool
		Fields   int
		Entities []string
	}
	var networks []network
	for _, k := range m.kinds {
		n := network{Name: k.Network, Numbers: volume(k.Shape), Shape: strings.Trim(strings.ReplaceAll(fmt.Sprint(k.Shape), " ", " × "), "[]"), Pictures: k.Pictures || mnist.IsShape(k.Shape), Fields: k.Fields}
		for _, e := range k.Entities[:min(len(k.Entities), shownEntities)] {
			between := ","
			if strings.Contains(strings.Join(e, ""), between) {
				between = "\t"
			}
			n.Entities = append(n.Entities, strings.Join(e, between))
		}
		networks = append(networks, n)
	}
	return newPage(fileText, fileScript, struct {
		look
		Model    string
		Networks []network
		Rows     []ground.PredicateInfo
	}{newLook(fileScript), m.name, networks, m.rows})
}
