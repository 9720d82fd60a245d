package config

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// identityVersion begins every identity. It grows when the rules of canonical change.
const identityVersion = "1-"

// renamed maps the dotted name that a setting had in earlier versions to its present name, or to ""
// where it is gone and meant nothing without another that is gone. A record made under the old name is found
// under the new one, and files that have a setting which meant nothing are read; -set refuses it.
var renamed = map[string]string{"options.policy-samples": ""}

// retired maps settings, and values of settings, that earlier versions had to what to use in place
// of them. A file that has one at zero is read.
var retired = map[string]string{
	"loss = conditional":        "-loss k-best learns from all states that the labels allow, energy from draws of the outputs",
	"bilevel.slack = step":      "exact puts slacks where steps lead them",
	"bilevel.slack-step":        "bilevel.slack = \"exact\" needs no step",
	"bilevel.relaxation-target": "training.epochs, training.patience and bilevel.stop-on-gap end a run",
	"options.policy-weight":     "-loss k-best teaches networks of classes by what labels of other predicates allow",
}

// Identity is the key of a run: two runs with one identity are the same run. It depends on
// the names and the values of the settings that are not zero, and neither on the order of
// the fields of Config nor on how TOML writes a value; so a new setting whose zero value
// changes nothing leaves the identity of earlier runs as it was.
func (c *Config) Identity() string { return IdentityOf(c.text()) }

// IdentityOf is the identity of settings that are written out, as Encode and records have
// them: TOML from a line "task = …" on, or a JSON object, with other text before or after
// it. That other text counts to the letter.
func IdentityOf(text string) string {
	sum := sha256.Sum256([]byte(canonical(text, renamed)))
	return identityVersion + hex.EncodeToString(sum[:8])
}

func (c *Config) text() string {
	b, err := c.Encode()
	if err != nil {
		panic(fmt.Sprintf("train: a Config always encodes: %v", err))
	}
	return string(b)
}

// tomlLine matches a line of encoded settings: a key, a table, or nothing.
var tomlLine = regexp.MustCompile(`^([a-z][a-z0-9-]* = .*|\[[a-z.-]+\])?$`)

// canonical writes the settings of a text as sorted lines "key = value" between what
// stands before and after them.
func canonical(text string, renamed map[string]string) string {
	head, settings, tail := split(text)
	var tree map[string]any
	if settings == "" || toml.Unmarshal([]byte(settings), &tree) != nil && json.Unmarshal([]byte(settings), &tree) != nil {
		return text
	}
	flat := make(map[string]string)
	leaves(tree, func(key string, v any) {
		if text := leafText(v); !slices.Contains(zeros, text) {
			flat[key] = text
		}
	})
	var b strings.Builder
	b.WriteString(head + "\n")
	for old, now := range renamed {
		if v, ok := flat[old]; ok {
			delete(flat, old)
			if now != "" {
				flat[now] = v
			}
		}
	}
	for _, k := range slices.Sorted(maps.Keys(flat)) {
		b.WriteString(k + " = " + flat[k] + "\n")
	}
	return b.String() + tail
}

// split cuts a text into what stands before settings, the settings, and what follows them.
func split(text string) (head, settings, tail string) {
	if at := strings.Index("\n"+text, "\ntask = "); at >= 0 {
		end := at
		for line := range strings.Lines(text[at:]) {
			if !tomlLine.MatchString(strings.TrimRight(line, "\n")) {
				break
			}
			end += len(line)
		}
		return text[:at], text[at:end], text[end:]
	}
	from, to := strings.IndexByte(text, '{'), strings.LastIndexByte(text, '}')
	if from < 0 || to < from {
		return text, "", ""
	}
	return text[:from], text[from : to+1], text[to+1:]
}

// zeros are the texts of values that are zero, and of what no setting is.
var zeros = []string{"", "0", "-0", `""`, "[]", "false"}

// leafText is the text of a value. JSON and TOML tell whole numbers apart in different ways, so they are
// written as a float64 is where that holds them exactly.
func leafText(v any) string {
	switch v := v.(type) {
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case int64:
		if v > -1<<53 && v < 1<<53 {
			return strconv.FormatFloat(float64(v), 'g', -1, 64)
		}
		return strconv.FormatInt(v, 10)
	case string:
		return strconv.Quote(v)
	case []any, bool:
		return fmt.Sprint(v)
	}
	return ""
}
