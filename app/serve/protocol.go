package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"hinge/symbolic/facts"
)

// tensorKind describes a tensor; a size of -1 is any.
type tensorKind struct {
	Name     string `json:"name"`
	Datatype string `json:"datatype"`
	Shape    []int  `json:"shape"`
}

// inferRequest is $inference_request of the protocol.
type inferRequest struct {
	ID         *string       `json:"id"`
	Parameters parameters    `json:"parameters"`
	Inputs     []inputTensor `json:"inputs"`
	Outputs    []struct {
		Name       string     `json:"name"`
		Parameters parameters `json:"parameters"`
	} `json:"outputs"`
}

// inputTensor is an input of a request. Its numbers or texts are in Data, or in raw, which came
// behind the JSON.
type inputTensor struct {
	Name       string          `json:"name"`
	Shape      []int           `json:"shape"`
	Datatype   string          `json:"datatype"`
	Parameters parameters      `json:"parameters"`
	Data       json.RawMessage `json:"data"`
	binary     bool
	raw        []byte
}

// parameters holds the parameters of a request or of a tensor.
type parameters map[string]json.RawMessage

// read reads a parameter and reports whether it is there; null stands for none.
func (p parameters) read(key string, into any) (bool, error) {
	text, ok := p[key]
	if !ok || string(text) == "null" {
		return false, nil
	}
	if err := json.Unmarshal(text, into); err != nil {
		return false, fmt.Errorf("the parameter %s is %.20s, want %T", key, text, into)
	}
	return true, nil
}

// check refuses parameters of extensions that would change the answer and that the server lacks.
func (p parameters) check() error {
	for _, key := range slices.Sorted(maps.Keys(p)) {
		if key == "classification" || strings.HasPrefix(key, "shared_memory_") || strings.HasPrefix(key, "sequence_") {
			return fmt.Errorf("the parameter %.40s is of an extension that this server lacks; GET /v2 lists those it has", key)
		}
	}
	return nil
}

// headerLength is the header with the length of the JSON, where binary tensors follow it.
const headerLength = "Inference-Header-Content-Length"

// decode reads a request of the protocol: JSON, and behind its first length bytes, unless length
// is empty, the bytes of binary tensors in the order of the inputs. Any error is the request's.
func decode(body []byte, length string) (*inferRequest, error) {
	var rest []byte
	if length != "" {
		n, err := strconv.Atoi(length)
		if err != nil || n < 0 || n > len(body) {
			return nil, fmt.Errorf("the header %s is %.20q; want the length of the JSON, at most the %d bytes of the body", headerLength, length, len(body))
		}
		body, rest = body[:n], body[n:]
	}
	body = bytes.TrimPrefix(body, []byte("\uFEFF"))
	q := new(inferRequest)
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(q); err == io.EOF {
		return nil, errors.New("the body is empty; want a request of the protocol")
	} else if at := facts.NotFinite(body, err); at >= 0 {
		place := ""
		if quote := bytes.LastIndexByte(body[:at], '"'); quote > 0 {
			place = fmt.Sprintf("after %.40q: ", body[bytes.LastIndexByte(body[:quote], '"')+1:quote])
		}
		return nil, fmt.Errorf("%sJSON has no numbers NaN and Infinity; send finite numbers", place)
	} else if err != nil {
		return nil, fmt.Errorf("the body is not a request of the protocol: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("the body goes on after the request")
	}
	if err := facts.Unclear(body, []string{"id", "parameters", "inputs", "outputs", "name", "shape", "datatype", "data"}); err != nil {
		return nil, err
	}
	all := []parameters{q.Parameters}
	for i := range q.Outputs {
		all = append(all, q.Outputs[i].Parameters)
	}
	for i := range q.Inputs {
		in := &q.Inputs[i]
		all = append(all, in.Parameters)
		var size int
		var err error
		if in.binary, err = in.Parameters.read("binary_data_size", &size); err != nil {
			return nil, fmt.Errorf("input %.40q: %w", in.Name, err)
		}
		if !in.binary {
			continue
		}
		if len(in.Data) > 0 && string(in.Data) != "null" {
			return nil, fmt.Errorf("input %.40q has data and binary_data_size; want one of them", in.Name)
		}
		if size < 0 || size > len(rest) {
			return nil, fmt.Errorf("input %.40q has a binary_data_size of %d; behind the JSON there are %d bytes for it (the header %s ends the JSON)", in.Name, size, len(rest), headerLength)
		}
		in.raw, rest = rest[:size], rest[size:]
	}
	if len(rest) > 0 {
		return nil, fmt.Errorf("the body goes on after the request: %d bytes are of no input", len(rest))
	}
	for _, p := range all {
		if err := p.check(); err != nil {
			return nil, err
		}
	}
	return q, nil
}

// choice is an output that a request asks for, by its place among all.
type choice struct {
	at     int
	binary bool
}

// choose returns the outputs that a request asks for; all if it names none.
func (q *inferRequest) choose(all []tensorKind) (list []choice, err error) {
	binary := false
	if _, err := q.Parameters.read("binary_data_output", &binary); err != nil {
		return nil, err
	}
	for _, o := range q.Outputs {
		w := choice{slices.IndexFunc(all, func(k tensorKind) bool { return k.Name == o.Name }), binary}
		if w.at < 0 {
			var names []string
			for _, k := range all {
				names = append(names, k.Name)
			}
			return nil, fmt.Errorf("there is no output %.40q; there are %s", o.Name, strings.Join(names, ", "))
		}
		if slices.ContainsFunc(list, func(have choice) bool { return have.at == w.at }) {
			return nil, fmt.Errorf("the output %q is asked for twice", o.Name)
		}
		if _, err := o.Parameters.read("binary_data", &w.binary); err != nil {
			return nil, fmt.Errorf("output %q: %w", o.Name, err)
		}
		list = append(list, w)
	}
	if list == nil {
		for i := range all {
			list = append(list, choice{i, binary})
		}
	}
	return list, nil
}

// inferResponse is $inference_response.
type inferResponse struct {
	Model   string   `json:"model_name"`
	Version string   `json:"model_version"`
	ID      *string  `json:"id,omitempty"`
	Outputs []tensor `json:"outputs"`
}

// tensor is an output: its Data is a slice of int64, float32, float64, *float64, bool or string.
type tensor struct {
	tensorKind
	Parameters map[string]int `json:"parameters,omitempty"`
	Data       any            `json:"data,omitempty"`
}

// ask has a model answer a request that was read, and returns all outputs.
type ask func(context.Context) ([]tensor, error)

// infer is the route that answers tensors.
func (s *Server) infer(v *visit, h http.Header, r *http.Request) ([]byte, error) {
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); strings.HasPrefix(kind, "multipart/") { // other types may hold JSON, as of curl -d
		return nil, fail(http.StatusUnsupportedMediaType, "the body is %.40s; want JSON here, and forms at /explain", kind)
	}
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, unreadable(err)
	}
	q, err := decode(text, r.Header.Get(headerLength))
	if err != nil {
		return nil, unreadable(err)
	}
	answer, n, err := s.form.read(q)
	if err != nil {
		return nil, unreadable(err)
	}
	_, kinds := s.form.kinds()
	want, err := q.choose(kinds)
	if err != nil {
		return nil, unreadable(err)
	}
	v.examples, v.read = n, time.Now()
	tensors, err := answer(r.Context())
	if err != nil {
		return nil, err
	}
	v.asked = time.Now()
	return q.respond(h, s.name, want, tensors)
}

// respond makes the body of an answer: JSON, and behind it the outputs that are wanted as bytes.
func (q *inferRequest) respond(h http.Header, model string, want []choice, tensors []tensor) ([]byte, error) {
	r := inferResponse{Model: model, Version: version, ID: q.ID}
	var tail []byte
	binary := false
	for _, w := range want {
		t := tensors[w.at]
		if w.binary {
			raw := t.raw()
			t.Parameters, t.Data = map[string]int{"binary_data_size": len(raw)}, nil
			tail, binary = append(tail, raw...), true
		}
		r.Outputs = append(r.Outputs, t)
	}
	body, err := encode(r)
	if binary {
		h.Set("Content-Type", "application/octet-stream")
		h.Set(headerLength, strconv.Itoa(len(body)))
	}
	return append(body, tail...), err
}

// encode is JSON as people read it too.
func encode(v any) ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return out.Bytes(), err
}
