package model

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The same model in both languages gives the same nodes.
func TestYAMLEqualsJSON(t *testing.T) {
	yaml := `# the same
rules:
  - "2: Friends(A, B) & Smokes(A) -> Smokes(B) ^2"
  - '1: !Smokes(A)'
predicates:
  Friends/2: {observations: [[ann, bob], [bob, cleo, 0.5]]}
  Smokes/1:
    observations:
      - [ann]
    targets:
      - - bob
      - - cleo
    truth: [[bob, 1], [cleo, 0]]
    evaluations:
      - DiscreteEvaluator
`
	y, err := parseYAML("m.yaml", []byte(yaml))
	require.NoError(t, err)
	j, err := parseJSON("m.json", []byte(smokers))
	require.NoError(t, err)
	assert.Equal(t, dump(j, false), dump(y, false), "YAML")
}

func TestYAML(t *testing.T) {
	for _, test := range []struct{ src, want string }{
		{"a: 1\nb: [x, 2.5, true, null, ~, '3']", `{"a":1 "b":["x" 2.5 true null null "3"]}`},
		{"base: &b [1, 2]\ncopy: *b", `{"base":[1 2] "copy":[1 2]}`},
		{"1: x\ntrue: y", `{"1":"x" "true":"y"}`},
		{"text: |\n  one\n  two\n", `{"text":"one\ntwo\n"}`},
	} {
		n, err := parseYAML("m.yaml", []byte(test.src))
		if err != nil {
			t.Errorf("%s: %v", test.src, err)
		} else if got := dump(n, false); got != test.want {
			t.Errorf("%s\n got %s\nwant %s", test.src, got, test.want)
		}
	}
}

func TestYAMLErrors(t *testing.T) {
	for _, test := range []struct{ src, want string }{
		{"", "m.yaml:1:1: the model is empty"},
		{"a: 1\n---\nb: 2", "m.yaml:1:1: the file holds more than one YAML document"},
		{"a: 1\n---\n[", "m.yaml:3:1: did not find expected node content"},
		{"# *foo\na: '*foo'\nb: [1,\n  *foo]\nc: *foo", "m.yaml:4:1: unknown anchor 'foo' referenced"},
		{"a: [1, 2", "m.yaml:1:1: did not find expected ',' or ']'"},
		{"rules:\n  - 1: P(A) -> Q(A): x", "m.yaml:2:1: mapping values are not allowed in this context" +
			" (put rules in quotes: colon, # and & have a meaning in YAML)"},
		{"a: *nothing", "m.yaml:1:1: unknown anchor 'nothing' referenced"},
		{"a: 1\n---\nb: *foo\nc: 2\n", "m.yaml:3:1: unknown anchor 'foo' referenced"},
		{"a: 1\nb: 2\na: 3", `m.yaml:3:1: the key "a" occurs twice`},
		{"? [x]\n: 1", "m.yaml:1:3: a key is a list, want a text"},
		{"a: &a [*a]", "m.yaml:1:4: lists and objects are nested more than 64 deep"},
		{strings.Repeat("[", MaxDepth+2) + strings.Repeat("]", MaxDepth+2), "m.yaml:1:66: lists and objects are nested more than 64 deep"},
		{"a: \xff", "m.yaml:1:1: the model is not UTF-8 text"},
		{"a:\n\t- b", "m.yaml:2:1: found character that cannot start any token"},
	} {
		_, err := parseYAML("m.yaml", []byte(test.src))
		assert.EqualErrorf(t, err, test.want, "%q", test.src)
	}
	_, err := parseYAML("m.yaml", make([]byte, MaxYAML+1))
	assert.ErrorContains(t, err, "more than 1 MiB", "a huge file")
}

// A small file of aliases of aliases stands for 10⁹ values: it must fail soon.
func TestYAMLBomb(t *testing.T) {
	src := "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n"
	for i := range 9 {
		this, next := string(rune('0'+i)), string(rune('1'+i))
		src += "a" + next + ": &a" + next + " [" + strings.TrimSuffix(strings.Repeat("*a"+this+",", 10), ",") + "]\n"
	}
	_, err := parseYAML("m.yaml", []byte(src))
	assert.ErrorContains(t, err, tooMany, "the bomb")
}

// YAML of any kind gives nodes or an error.
func FuzzYAML(f *testing.F) {
	for _, s := range []string{"rules:\n  - '1: !P(A)'\npredicates:\n  P/1: {targets: [[a]]}", "a: &x [*x]", "? {a: b}\n: c", "--- |\n x", "a: !!binary ZZ\n<<: {}", "%YAML 1.2\n---\n- \"\\x41\""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		if len(src) > 1<<14 {
			return
		}
		n, err := parseYAML("fuzz.yaml", []byte(src))
		if (n == nil) == (err == nil) {
			t.Fatalf("nodes %v and error %v", n, err)
		}
		if err == nil {
			_ = dump(n, true)
		}
	})
}
