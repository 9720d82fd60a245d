package model

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"hinge/symbolic/facts"
	"hinge/symbolic/psl"
)

// kind is the kind of a node.
type kind uint8

const (
	nullNode kind = iota
	textNode
	numberNode
	boolNode
	listNode
	objectNode
)

// String names the kind for messages, with its article.
func (k kind) String() string {
	return [...]string{"null", "a text", "a number", "true or false", "a list", "an object"}[k]
}

// node is a value of a JSON or YAML file with its place.
type node struct {
	kind kind
	// quoted reports whether the text begins one column after the place, for
	// positions within it; block that it begins on the next line.
	quoted, block bool
	line, col     int32
	// text is the text of a scalar; of numbers and truth values as written.
	text string
	// keys are the texts of an object's keys, items its values or the elements
	// of a list.
	keys  []node
	items []node
}

// Limits of model files. They are far above what people write and keep hostile
// input from exhausting memory or stack.
const (
	// MaxJSON and MaxYAML are the largest model files in bytes. A YAML file
	// costs far more memory than a JSON file of its size.
	MaxJSON = 16 << 20
	MaxYAML = 1 << 20
	// MaxValues is the largest number of values of a model file.
	MaxValues = 1 << 20
	// MaxDepth is the deepest nesting of lists and objects.
	MaxDepth = 64
)

// tooMany is the message about a file with more than MaxValues values.
const tooMany = "the model has more than 1048576 values: put rows into data files"

// file is a model file while it is read: it makes errors of places.
type file struct{ name string }

func (f *file) pos(n *node) psl.Pos {
	if n.line == 0 && n.text != "" { // not of the file
		return psl.Pos{File: n.text}
	}
	return psl.Pos{File: f.name, Line: int(n.line), Col: int(n.col)}
}

// errorf is an error at a node.
func (f *file) errorf(n *node, format string, args ...any) *Error {
	return &Error{Pos: f.pos(n), Msg: fmt.Sprintf(format, args...)}
}

// hint is an error with advice.
func (f *file) hint(n *node, hint, format string, args ...any) *Error {
	return &Error{Pos: f.pos(n), Msg: fmt.Sprintf(format, args...), Hint: hint}
}

// expect requires a node to be of a kind; what names the node.
func (f *file) expect(n *node, k kind, what string) {
	if n.kind != k {
		panic(f.errorf(n, "%s is %s, want %s", what, n.kind, k))
	}
}

// scalar returns the text of a text, number or truth value.
func (f *file) scalar(n *node, what string) string {
	if !n.isScalar() {
		panic(f.errorf(n, wantScalar, what, n.kind))
	}
	return n.text
}

const wantScalar = "%s is %s, want a text or a number"

func (n *node) isScalar() bool {
	return n.kind == textNode || n.kind == numberNode || n.kind == boolNode
}

// child is get for a value that has to be of a kind.
func (f *file) child(n *node, key string, k kind) *node {
	v := n.get(key)
	if v != nil {
		f.expect(v, k, key)
	}
	return v
}

// get returns the value of a key, nil if it is absent or null.
func (n *node) get(key string) *node {
	for i := range n.keys {
		if n.keys[i].text == key && n.items[i].kind != nullNode {
			return &n.items[i]
		}
	}
	return nil
}

// elements returns the elements of a key's list, none if the key is absent. If element is not
// the kind list, a single element stands for a list of one.
func (f *file) elements(n *node, key string, element kind) []node {
	v := n.get(key)
	switch {
	case v == nil:
		return nil
	case v.kind == element && element != listNode:
		return []node{*v}
	}
	f.expect(v, listNode, key)
	return v.items
}

// refuse requires keys to be absent. The message names the key.
func (f *file) refuse(n *node, keys []string, hint, message string) {
	for _, key := range keys {
		if v := n.get(key); v != nil {
			panic(f.hint(v, hint, message, key))
		}
	}
}

// only requires the keys of an object to be known.
func (f *file) only(n *node, what string, known ...string) {
	for i := range n.keys {
		if !slices.Contains(known, n.keys[i].text) {
			panic(f.hint(&n.keys[i], suggest(n.keys[i].text, known), "%s has no %s", what, facts.Show(n.keys[i].text)))
		}
	}
}

// distinct requires the keys of an object to differ.
func (f *file) distinct(n *node) {
	seen := make(map[string]bool, len(n.keys))
	for i := range n.keys {
		if k := n.keys[i].text; seen[k] {
			panic(f.errorf(&n.keys[i], "the key %s occurs twice", facts.Show(k)))
		} else {
			seen[k] = true
		}
	}
}

// suggest is a hint naming the candidate nearest to a word, or all of them.
func suggest(word string, candidates []string) string {
	return cmp.Or(psl.DidYouMean(word, candidates), "possible are "+strings.Join(candidates, ", "))
}
