package modelfile

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/symbolic/shortcut"
	"hinge/train/config"
	"hinge/train/learning"
)

// alike is a model of pairs that are alike or not, of two classes that could be swapped. The
// holes take the truth of the classes, and the output of the network.
const alike = `{
	"rules": [
		"1: Pair(A, B) & C(A, K) & C(B, K) -> Same(A, B) ^2",
		"1: Pair(A, B) & C(A, K) & Same(A, B) -> C(B, K) ^2",
		"0.1: !Same(A, B)"
	],
	"predicates": {
		"Pair/2": {"observations": {"learn": [["a", "b"], ["a", "c"]], "validation": [["d", "e"], ["d", "f"]]}},
		"C/2": {
			"network": {"model": "mlp", "features": "c.txt", "classes": 2 OUTPUT},
			"targets": {"learn": [["a", 0], ["a", 1], ["b", 0], ["b", 1], ["c", 0], ["c", 1]],
				"validation": [["d", 0], ["d", 1], ["e", 0], ["e", 1], ["f", 0], ["f", 1]]},
			"truth": {TRUTH}
		},
		"Same/2": {
			"targets": {"learn": [["a", "b"], ["a", "c"]], "validation": [["d", "e"], ["d", "f"]]},
			"truth": {"learn": [["a", "b", 0], ["a", "c", 1]], "validation": [["d", "e", 0], ["d", "f", 1]]},
			"evaluations": ["DiscreteEvaluator"]
		}
	}
}`

// Truths of alike: those of a partition, and of one entity.
const (
	allLearn = `"learn": [["a", 0, 1], ["a", 1, 0], ["b", 0, 0], ["b", 1, 1], ["c", 0, 1], ["c", 1, 0]]`
	allValid = `"validation": [["d", 0, 1], ["d", 1, 0], ["e", 0, 0], ["e", 1, 1], ["f", 0, 1], ["f", 1, 0]]`
	oneLearn = `"learn": [["b", 1, 1]]`
)

// TestShortcuts: which truth is a label, and where examples are from.
func TestShortcuts(t *testing.T) {
	for _, c := range []struct {
		name, truth, output string
		labels              bool
		maps                int64
		from, ignored       string
	}{
		{"no labels of classes", allValid, "", true, 2, "validation", "!Same"},
		{"one label", oneLearn + ", " + allValid, "", true, 1, "validation", "!Same"},
		{"a label that is not learned", oneLearn + ", " + allValid, "", false, 2, "validation", "!Same"},
		{"labels everywhere", allLearn, "", true, 1, "", "!Same"},
		{"truth that is not learned", allLearn, "", false, 2, "", "!Same"},
		// Sigmoids may be on for both classes or for none: of the sixteen maps of two values
		// to four, nine have no class in common.
		{"sigmoids", allValid, `, "output": "sigmoid"`, true, 9, "validation", "!Same"},
	} {
		file := write(t, strings.NewReplacer("TRUTH", c.truth, "OUTPUT", c.output).Replace(alike), map[string]string{"c.txt": "a\t1\nb\t2\nc\t3\nd\t4\ne\t5\nf\t6\n"})
		m, _ := open(t, file, "energy", func(cfg *config.Config, o *Options) {
			cfg.Training.NoTest = true
			if !c.labels {
				o.LabelWeight = 0
			}
		})
		p, err := m.Shortcuts()
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		r, err := shortcut.Count(context.Background(), p, shortcut.Options{})
		require.NoError(t, err)
		if r.Number().Int64() != c.maps || !r.Complete || !strings.Contains(p.From, c.from) || (c.from == "") != (p.From == "") {
			t.Errorf("%s: %v maps, examples of %q; want %d of %q", c.name, r.Number(), p.From, c.maps, c.from)
		}
		if len(r.Ignored) != 1 || !strings.Contains(r.Ignored[0].Text, c.ignored) || r.Evidence {
			t.Errorf("%s: ignored %v, evidence %v", c.name, r.Ignored, r.Evidence)
		}
		if again, err := CountShortcuts(context.Background(), file, shortcut.Options{}); c.labels && (err != nil || again.Number().Cmp(r.Number()) != 0) {
			t.Errorf("%s: %v maps of the file, %v", c.name, again.Number(), err)
		}
	}
}

// TestShortcutsWithout: what is missing for a count is said.
func TestShortcutsWithout(t *testing.T) {
	files := map[string]string{"c.txt": "a\t1\nb\t2\nc\t3\nd\t4\ne\t5\nf\t6\n"}
	var data *learning.DataError
	file := write(t, strings.NewReplacer("TRUTH", oneLearn, "OUTPUT", "").Replace(alike), files)
	if _, err := CountShortcuts(context.Background(), file, shortcut.Options{}); !errors.As(err, &data) || !strings.Contains(err.Error(), "truth of C") {
		t.Errorf("no truth of classes: %v", err)
	}
	var usage *config.UsageError
	file = filepath.Join("..", "..", "examples", "weight-learning", "model.json")
	if _, err := CountShortcuts(context.Background(), file, shortcut.Options{}); !errors.As(err, &usage) {
		t.Errorf("no network: %v", err)
	}
	file = filepath.Join("..", "..", "examples", "smokers", "model.json")
	if _, err := CountShortcuts(context.Background(), file, shortcut.Options{}); !errors.As(err, &usage) && !errors.As(err, &data) {
		t.Errorf("nothing to learn from: %v", err)
	}
}

// TestRuleOfOutputsAlone: a potential of outputs alone counts, and what a hard rule of them says is refused, and told of
// before learning. Of the four classes that a's one image can be taken for the rules leave, by enumeration, those in want.
func TestRuleOfOutputsAlone(t *testing.T) {
	const data = `"predicates": {"Dig/2": {"network": {"model": "mlp", "layers": [], "features": "f.txt", "classes": 4}, "targets": [["a", 0], ["a", 1], ["a", 2], ["a", 3]],
		"truth": {"validation": [["a", 1]]}}, "Odd/1": {"targets": [["a"]], "truth": [["a"]], "evaluations": ["DiscreteEvaluator"]}}}`
	for rule, want := range map[string]int64{
		"1: Dig(A, '1') -> Odd(A)": 4, "!Dig(A, '3') .": 0, "Dig(A, +K) = 1 .": 0,
		"1: Dig(A, '3') = 0 ^2": 3, "1: Dig(A, '2') + Dig(A, '3') <= 0.5": 2, "1: Dig(A, '1') & Dig(A, '2') -> Dig(A, '3')": 4,
	} {
		file := write(t, `{"rules": ["1: Dig(A, '3') -> Odd(A)", "`+rule+`"], `+data, map[string]string{"f.txt": "a\t1\n"})
		r, err := CountShortcuts(t.Context(), file, shortcut.Options{})
		if want > 0 {
			require.NoError(t, err)
			assert.Equal(t, want, r.Number().Int64(), rule)
		} else {
			require.ErrorAs(t, err, new(*config.UsageError), rule)
			assert.ErrorContains(t, err, "the hard rule has outputs of networks but no target, and so is in no ground program")
		}
		m, err := Task{}.Open(small(t, file, "energy"), "")
		require.NoError(t, err)
		told := slices.ContainsFunc(m.(learning.Rulebook).Warnings(), func(text string) bool {
			return strings.Contains(text, "a hard rule of them alone says nothing")
		})
		assert.Equal(t, want == 0, told, rule)
		assert.NotContains(t, strings.Join(m.(learning.Rulebook).Warnings(), "\n"), "cannot matter", rule)
	}
}
