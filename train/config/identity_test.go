package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestIdentity: the identity follows values, and neither order, nor spelling, nor settings
// that are zero.
func TestIdentity(t *testing.T) {
	const base = "task = 'x'\nseed = 3\n\n[neural]\nlearning-rate = 0.5\nviews = 0\n"
	same := []string{
		"task = 'x'\nseed = 3\n[neural]\nlearning-rate = 5e-1\n",
		"task = \"x\"\nseed = 3\nrules = ''\n[neural]\naverage = 0.0\nlearning-rate = 0.50\n[training]\nsum-loss = false\n",
	}
	other := []string{
		"task = 'x'\nseed = 4\n[neural]\nlearning-rate = 0.5\n",
		"task = 'x'\nseed = 3\n[neural]\nlearning-rate = 0.25\n",
		"task = 'x'\nseed = 3\n[symbolic]\nlearning-rate = 0.5\n",
		"task = 'x'\nseed = 3\n[neural]\nlearning-rate = 0.5\naverage = 0.1\n",
		"protocol 2\n" + base,
		base + "1: A(x) -> B(x)\n",
	}
	for _, text := range same {
		assert.Equalf(t, IdentityOf(base), IdentityOf(text), "another identity:\n%s", text)
	}
	seen := map[string]string{IdentityOf(base): base}
	for _, text := range other {
		if twin, ok := seen[IdentityOf(text)]; ok {
			t.Errorf("one identity:\n%s\n%s", text, twin)
		}
		seen[IdentityOf(text)] = text
	}
	// What follows the settings counts to the letter.
	if IdentityOf(base+"1: A(x) -> B(x)\n") == IdentityOf(base+"2: A(x) -> B(x)\n") {
		t.Error("the rules do not count")
	}
	json := `relational 1 {"loss":"mse","step":0.01,"gap":0}`
	if IdentityOf(json) != IdentityOf(`relational 1 {"step":1e-2,"loss":"mse"}`) || IdentityOf(json) == IdentityOf(strings.Replace(json, "0.01", "0.02", 1)) {
		t.Error("JSON settings")
	}
	if !strings.HasPrefix(IdentityOf(base), identityVersion) {
		t.Error("an identity without its version")
	}
	c := Defaults(Config{Task: "x"})
	c.Seed = 1<<62 + 1
	d := c
	d.Seed--
	if c.Identity() == d.Identity() {
		t.Error("seeds are rounded")
	}
}

// TestRenamedSettings: what was recorded under a setting's earlier name is found.
func TestRenamedSettings(t *testing.T) {
	names := map[string]string{"neural.views": "neural.test-views", "old": "new"}
	before := canonical("task = 'x'\nold = 2\n[neural]\nviews = 8\n", names)
	now := canonical("task = 'x'\nnew = 2\n[neural]\ntest-views = 8\n", names)
	if before != now || before == canonical("task = 'x'\nold = 2\n[neural]\nviews = 8\n", nil) {
		t.Errorf("%q and %q", before, now)
	}
}

// TestRetiredSettings: a file of an earlier version is read where a setting that is gone meant nothing, else the
// error says what to use in its place; identities do not see what meant nothing.
func TestRetiredSettings(t *testing.T) {
	read := func(text string) error {
		c := Defaults(Config{Task: "toy"})
		c.Loss, c.Training.Epochs, c.Options = "energy", 1, &struct{}{}
		path := filepath.Join(t.TempDir(), "c.toml")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		if err := c.LoadFile(path); err != nil {
			return err
		}
		return c.Validate()
	}
	require.NoError(t, read("[bilevel]\nrelaxation-target = 0.0\n[options]\npolicy-weight = 0.0\npolicy-samples = 1\n"))
	for text, want := range map[string]string{
		"loss = 'conditional'\n":                   "loss: conditional is no more: -loss k-best",
		"[bilevel]\nslack = 'step'\n":              "bilevel.slack: step is no more: exact",
		"[bilevel]\nslack-step = 0.5\n":            "c.toml:2:1: bilevel.slack-step is no more",
		"[bilevel]\n\nrelaxation-target = 1e-3\n":  "c.toml:3:1: bilevel.relaxation-target is no more: training.epochs",
		"[options]\npolicy-weight = 1\n":           "c.toml:2:1: options.policy-weight is no more: -loss k-best",
		"[options]\npolicy-wait = 1\n":             "no such setting: options.policy-wait",
		"[bilevel]\nrelaxation-target = 'often'\n": "c.toml:2:1: bilevel.relaxation-target is no more",
	} {
		require.ErrorContains(t, read(text), want)
	}
	const now = "task = 'model'\n[options]\nmodel = 'm.json'\n"
	require.Equal(t, IdentityOf(now), IdentityOf(now+"policy-samples = 1\npolicy-weight = 0.0\n"))
	require.NotEqual(t, IdentityOf(now), IdentityOf(now+"policy-weight = 1.0\n"))
}
