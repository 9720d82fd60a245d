package model

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestJSON(t *testing.T) {
	for _, test := range []struct{ src, want string }{
		{`{}`, `{}`},
		{"\uFEFF [1, -2.5, 1e3, true, false, null, \"x\"] ", `[1 -2.5 1e3 true false null "x"]`},
		{`{"a": {"b": []}, 'c': [{}]}`, `{"a":{"b":[]} "c":[{}]}`},
		// What the reference allows beyond JSON.
		{"# comment\n{ // another\n 'a': /* and \n one */ 'it\\'s', }", `{"a":"it's"}`},
		{`[+1, 01, +01.50, .5, 5., -0, -.25, 00, 0e1]`, `[1 1 1.50 0.5 5. -0 -0.25 0 0e1]`},
		{`["say \"x\"", 'say "x"', "a#b", "c//d", '/* e']`, `["say \"x\"" "say \"x\"" "a#b" "c//d" "/* e"]`},
		{`["\u00e9\ud83d\ude00\/\b\f\n\r\t\\", "�"]`, `["é😀/\b\f\n\r\t\\" "�"]`},
		{`["true", 'null', truest]`, ``},
		{`[1,]`, `[1]`},
	} {
		n, err := parseJSON("m.json", []byte(test.src))
		switch {
		case test.want == "":
			if err == nil {
				t.Errorf("%s is accepted", test.src)
			}
		case err != nil:
			t.Errorf("%s: %v", test.src, err)
		case dump(n, false) != test.want:
			t.Errorf("%s\n got %s\nwant %s", test.src, dump(n, false), test.want)
		}
	}
}

func TestJSONErrors(t *testing.T) {
	deep := strings.Repeat("[", MaxDepth+1)
	for _, test := range []struct{ src, want string }{
		{``, `m.json:1:1: a value is missing at the end of the file`},
		{"\n # only a comment", `m.json:2:18: a value is missing at the end of the file`},
		{`{"a": 1} x`, `m.json:1:10: there is something after the end of the model: 'x'`},
		{"{\n  'é': tru\n}", `m.json:2:8: 't' begins no value; texts stand in quotes`},
		{`{a: 1}`, `m.json:1:2: want a key in quotes, found 'a'`},
		{`{"a" 1}`, `m.json:1:6: want a colon after the key "a", found '1'`},
		{`{"a": 1 "b": 2}`, `m.json:1:9: want a comma or '}', found '"'`},
		{`[1 2]`, `m.json:1:4: want a comma or ']', found '2'`},
		{"[1,\n", `m.json:1:1: the list is not closed`},
		{"{\n \"a\": [1]", `m.json:1:1: the object is not closed`},
		{`[,]`, `m.json:1:2: ',' begins no value; texts stand in quotes`},
		{`{"a": 1, "b": 2, "a": 3}`, `m.json:1:18: the key "a" occurs twice`},
		{"['open\n']", `m.json:1:2: the text is not closed on its line`},
		{`["open`, `m.json:1:2: the text is not closed`},
		{`["a\x"]`, `m.json:1:4: there is no such escape`},
		{`["\u12g4"]`, `m.json:1:3: there is no such escape`},
		{`["\ud800x"]`, `m.json:1:3: there is no such escape`},
		{`["\ud800\u0041"]`, `m.json:1:3: there is no such escape`},
		{"[\"a\tb\"]", `m.json:1:4: a text may not hold the control character '\t'`},
		{"[\"a\xff\"]", `m.json:1:4: the model is not UTF-8 text`},
		{`/* open`, `m.json:1:1: the comment is not closed`},
		{`[1.2.3]`, `m.json:1:2: "1.2.3" is not a number, or too large`},
		{`[12abc]`, `m.json:1:2: "12abc" is not a number`},
		{`[0x1p4]`, `m.json:1:2: "0x1p4" is not a number`},
		{`[--1]`, `m.json:1:2: "--1" is not a number`},
		{`[+-1]`, `m.json:1:2: "+-1" is not a number`},
		{`[1e999]`, `m.json:1:2: "1e999" is not a number, or too large`},
		{`[.]`, `m.json:1:2: "." is not a number, or too large`},
		{`[NaN]`, `m.json:1:2: 'N' begins no value; texts stand in quotes`},
		{deep, `m.json:1:65: lists and objects are nested more than 64 deep`},
		{"[" + strings.Repeat("0,", MaxValues) + "]", `m.json:1:2097152: ` + tooMany},
	} {
		_, err := parseJSON("m.json", []byte(test.src))
		assert.EqualErrorf(t, err, test.want, "%.60q", test.src)
	}
	_, err := parseJSON("m.json", make([]byte, MaxJSON+1))
	assert.ErrorContains(t, err, "more than 16 MiB", "a huge file")
}

// Places count lines and characters, not bytes.
func TestJSONPlaces(t *testing.T) {
	n, err := parseJSON("", []byte("{\n  \"é\": [1, /* ü */ 'x'],\r\n\t\"b\": {}}"))
	require.NoError(t, err)
	const want = `{"é"@2:3:[1@2:9 "x"@2:20]@2:8 "b"@3:2:{}@3:7}@1:1`
	assert.Equal(t, want, dump(n, true))
}

// What encoding/json accepts, this parser accepts with the same meaning, but for half a pair of surrogates.
func FuzzJSON(f *testing.F) {
	for _, s := range []string{smokers, `[1, 2.5e-3, "a\u00e9b", {"k": [null, true]}]`, `{'a': +01, /* c */ 'b': [.5,],}`,
		"# c\n[\"\\ud83d\\ude00\", -0]", `["\udc00"]`, `{"a":1,"a":2}`, `[[[[`, `"\u0000"`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		n, err := parseJSON("fuzz.json", []byte(src))
		var reference any
		d := json.NewDecoder(strings.NewReader(src))
		d.UseNumber()
		if !json.Valid([]byte(src)) || d.Decode(&reference) != nil {
			return
		}
		if err != nil {
			for _, ours := range []string{"occurs twice", "nested more", "too large", "not UTF-8", tooMany} {
				if strings.Contains(err.Error(), ours) {
					return
				}
			}
			if strings.Contains(err.Error(), "no such escape") && strings.Contains(strings.ToLower(src), `\ud`) {
				return
			}
			t.Fatalf("encoding/json accepts %q, we say %v", src, err)
		}
		same(t, n, reference)
	})
}

// same compares a node with what encoding/json made of the same text.
func same(t *testing.T, n *node, v any) {
	switch v := v.(type) {
	case nil:
		if n.kind != nullNode {
			t.Fatalf("%s for null", dump(n, false))
		}
	case bool:
		if n.kind != boolNode || n.text != strconv.FormatBool(v) {
			t.Fatalf("%s for %v", dump(n, false), v)
		}
	case json.Number:
		want, _ := v.Float64()
		if got, err := strconv.ParseFloat(n.text, 64); err != nil || n.kind != numberNode || got != want {
			t.Fatalf("%s for %v", dump(n, false), v)
		}
	case string:
		if n.kind != textNode || n.text != v {
			t.Fatalf("%s for %q", dump(n, false), v)
		}
	case []any:
		if n.kind != listNode || len(n.items) != len(v) {
			t.Fatalf("%s for %v", dump(n, false), v)
		}
		for i := range v {
			same(t, &n.items[i], v[i])
		}
	case map[string]any:
		if n.kind != objectNode || len(n.items) != len(v) {
			t.Fatalf("%s for %v", dump(n, false), v)
		}
		for i := range n.keys {
			item, ok := v[n.keys[i].text]
			if !ok {
				t.Fatalf("no key %q", n.keys[i].text)
			}
			same(t, &n.items[i], item)
		}
	}
}
