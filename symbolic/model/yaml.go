package model

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"hinge/symbolic/psl"
)

// parseYAML reads a YAML document into the same nodes as JSON. Aliases are resolved; the
// copies count towards the limits, so that a small file cannot expand to a huge one.
func parseYAML(name string, src []byte) (n *node, err error) {
	whole := func(msg string) error { return &Error{Pos: psl.Pos{File: name, Line: 1, Col: 1}, Msg: msg} }
	if len(src) > MaxYAML {
		return nil, whole("the model has more than " + strconv.Itoa(MaxYAML>>20) + " MiB")
	}
	if !utf8.Valid(src) {
		return nil, whole("the model is not UTF-8 text")
	}
	defer func() {
		// The library promises errors, not panics; hostile input shall not
		// depend on it.
		switch r := recover().(type) {
		case nil:
		case *Error:
			err = r
		default:
			err = whole(fmt.Sprintf("the YAML cannot be read: %v", r))
		}
	}()
	d := yaml.NewDecoder(bytes.NewReader(src))
	var doc, second yaml.Node
	if err := d.Decode(&doc); errors.Is(err, io.EOF) {
		return nil, whole("the model is empty")
	} else if err != nil {
		return nil, yamlError(name, src, err)
	}
	if err := d.Decode(&second); err == nil {
		return nil, whole("the file holds more than one YAML document")
	} else if !errors.Is(err, io.EOF) {
		return nil, yamlError(name, src, err)
	}
	c := yamlConverter{file: file{name}}
	root := &doc
	if root.Kind == yaml.DocumentNode && len(root.Content) == 1 {
		root = root.Content[0]
	}
	converted := c.convert(root, 0)
	return &converted, nil
}

var yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)

// yamlError gives a syntax error of the library the form of ours. Of an unknown anchor the library names no line:
// it is that of the shortest beginning of the file with the same error.
func yamlError(name string, src []byte, err error) error {
	msg := err.Error()
	e := &Error{Pos: psl.Pos{File: name}, Msg: msg}
	if m := yamlLine.FindStringSubmatch(msg); m != nil {
		e.Msg = strings.TrimPrefix(msg, m[0])
		if line, err := strconv.Atoi(m[1]); err == nil {
			e.Pos.Line, e.Pos.Col = line, 1
		}
	}
	if strings.HasPrefix(e.Msg, "unknown anchor") {
		lines := bytes.SplitAfter(src, []byte("\n"))
		e.Pos.Col, e.Pos.Line = 1, 1+sort.Search(len(lines)-1, func(k int) bool {
			d := yaml.NewDecoder(bytes.NewReader(bytes.Join(lines[:k+1], nil)))
			err := d.Decode(new(yaml.Node))
			if err == nil {
				err = d.Decode(new(yaml.Node)) // of the second document
			}
			return err != nil && err.Error() == msg
		})
	}
	if strings.Contains(e.Msg, "mapping values") || strings.Contains(e.Msg, "alias") {
		e.Hint = "put rules in quotes: colon, # and & have a meaning in YAML"
	}
	return e
}

// yamlConverter turns the library's nodes into ours.
type yamlConverter struct {
	file
	values int
}

func (c *yamlConverter) convert(y *yaml.Node, depth int) node {
	n := node{line: int32(y.Line), col: int32(y.Column)}
	if c.values++; c.values > MaxValues {
		panic(c.errorf(&n, tooMany))
	}
	if depth > MaxDepth {
		panic(c.errorf(&n, "lists and objects are nested more than %d deep", MaxDepth))
	}
	switch y.Kind {
	case yaml.AliasNode:
		// The values of an alias have the places of its anchor.
		return c.convert(y.Alias, depth+1)
	case yaml.ScalarNode:
		n.text = y.Value
		n.quoted = y.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0
		n.block = y.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0
		switch y.ShortTag() {
		case "!!null":
			n.kind = nullNode
		case "!!bool":
			n.kind = boolNode
		case "!!int", "!!float":
			n.kind = numberNode
		default:
			n.kind = textNode
		}
		return n
	case yaml.SequenceNode:
		n.kind = listNode
		for _, item := range y.Content {
			n.items = append(n.items, c.convert(item, depth+1))
		}
		return n
	case yaml.MappingNode:
		n.kind = objectNode
		for i := 0; i+1 < len(y.Content); i += 2 {
			key := c.convert(y.Content[i], depth+1)
			if key.kind == listNode || key.kind == objectNode {
				panic(c.errorf(&key, "a key is %s, want a text", key.kind))
			}
			n.keys, n.items = append(n.keys, key), append(n.items, c.convert(y.Content[i+1], depth+1))
		}
		c.distinct(&n)
		return n
	}
	panic(c.errorf(&n, "the YAML holds something that is neither text, list nor object"))
}
