package train

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestDefaultsAreValid(t *testing.T) {
	for digits := 1; digits <= 2; digits++ {
		for _, recipe := range Recipes {
			for _, loss := range Losses {
				for _, size := range []int{150, 300, 3000} {
					c := Defaults(digits, loss, recipe, size)
					if err := c.Validate(); err != nil {
						t.Errorf("Add%d %s %s %d: %v", digits, loss, recipe, size, err)
					}
				}
			}
		}
	}
}

func TestConfigRoundTrip(t *testing.T) {
	c := Defaults(2, "sp", "best", 1500)
	c.Task, c.Seed, c.Rules = "mnist-add2", 1<<62, "my rules.psl"
	data, err := c.Encode()
	if err != nil {
		t.Fatal(err)
	}
	var back Config
	if err := back.decode("config.toml", data); err != nil {
		t.Fatal(err)
	}
	if back != c || back.Hash() != c.Hash() {
		t.Errorf("read back %+v, wrote %+v", back, c)
	}
}

// TestDefaultHashes: committed records are found by the hash of their settings. A test
// that fails here says that the records of these runs are now those of other settings.
func TestDefaultHashes(t *testing.T) {
	for want, c := range map[string]Config{
		"45d93fccd6e162b3": Defaults(2, "energy", "best", 150),
		"14ff1f99ed83a9b4": Defaults(2, "bce", "best", 150),
		"7d8bedce1ed38672": Defaults(2, "energy", "paper", 150),
		"397d1c6c83ba35f0": Defaults(2, "bce", "paper", 150),
		"208eb10746868ddf": CitationDefaults("citeseer", "bce", "paper"),
	} {
		if got := c.Hash()[:16]; got != want {
			t.Errorf("%s, recipe %s: hash %s, was %s", c.Loss, c.Recipe, got, want)
		}
	}
}

func TestLoadFileOverlays(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.toml")
	text := "additions = 42\n[neural]\nlearning-rate = 0.5\n"
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	base := Defaults(1, "energy", "best", 300)
	c := base
	if err := c.LoadFile(file); err != nil {
		t.Fatal(err)
	}
	want := []string{"additions: 300 → 42", "neural.learning-rate: 0.001 → 0.5"}
	if got := base.Diff(&c); !slices.Equal(got, want) {
		t.Errorf("differences %q, want %q", got, want)
	}
	if c.Hash() == base.Hash() {
		t.Error("different settings, one hash")
	}
	// A setting that is only written where it is on is told both ways.
	c = base
	c.Training.SumLoss = true
	if got, want := base.Diff(&c), []string{"training.sum-loss: unset → true"}; !slices.Equal(got, want) {
		t.Errorf("differences %q, want %q", got, want)
	}
	if got, want := c.Diff(&base), []string{"training.sum-loss: true → unset"}; !slices.Equal(got, want) {
		t.Errorf("differences %q, want %q", got, want)
	}
}

func TestConfigErrors(t *testing.T) {
	for text, want := range map[string]string{
		"losss = 'energy'":                    "c.toml:1:1: no such setting: losss",
		"\n[neural]\n  leaning = 1":           "c.toml:3:3: no such setting: neural.leaning",
		"additions = 'many'":                  "c.toml:1:13",
		"[training\nbatch = 3":                "c.toml:1",
		"additions = 99999999999999999999999": "c.toml:1",
	} {
		var c Config
		err := c.decode("c.toml", []byte(text))
		var u *UsageError
		if !errors.As(err, &u) || !strings.Contains(u.Problem, want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
}

func TestValidateNamesTheKey(t *testing.T) {
	for want, breakIt := range map[string]func(*Config){
		"loss":                   func(c *Config) { c.Loss = "mse " },
		"recipe":                 func(c *Config) { c.Recipe = "worst" },
		"additions":              func(c *Config) { c.Additions = 0 },
		"split":                  func(c *Config) { c.Split = -1 },
		"steps":                  func(c *Config) { c.Training.Steps, c.Training.Epochs = 0, 0 },
		"seed":                   func(c *Config) { c.Seed = 1 << 63 },
		"training.batch":         func(c *Config) { c.Training.Batch = 0 },
		"training.valid-every":   func(c *Config) { c.Training.ValidEvery = 0 },
		"training.patience":      func(c *Config) { c.Training.Patience = -1 },
		"training.keep":          func(c *Config) { c.Training.Keep = 0 },
		"neural.learning-rate":   func(c *Config) { c.Neural.LearningRate = 0 },
		"neural.schedule":        func(c *Config) { c.Neural.Schedule = "step" },
		"neural":                 func(c *Config) { c.Neural.ClipNorm = -1 },
		"neural.average":         func(c *Config) { c.Neural.Average = 1 },
		"neural.channels":        func(c *Config) { c.Neural.Channels = 2 },
		"neural.dropout":         func(c *Config) { c.Neural.Dropout = 1 },
		"neural.gumbel-samples":  func(c *Config) { c.Neural.Samples = -1 },
		"neural.temperature-min": func(c *Config) { c.Neural.TemperatureMin = 0 },
		"pretrain":               func(c *Config) { c.Neural.Pretrain = "magic" },
		"symbolic.epsilon":       func(c *Config) { c.Symbolic.Epsilon = 0 },
		"symbolic.gap":           func(c *Config) { c.Symbolic.Gap = 0 },
		"symbolic.rules-after":   func(c *Config) { c.Symbolic.After = 1.5 },
		"symbolic.mirror-step":   func(c *Config) { c.Symbolic.MirrorStep = -1 },
	} {
		c := Defaults(1, "energy", "best", 300)
		breakIt(&c)
		var u *UsageError
		if err := c.Validate(); !errors.As(err, &u) || u.Key != want {
			t.Errorf("got %v, want a UsageError about %s", err, want)
		}
	}
}

func FuzzConfig(f *testing.F) {
	c := Defaults(1, "energy", "best", 300)
	data, err := c.Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte("[neural]\nlearning-rate = nan"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var c Config
		if c.decode("c.toml", data) == nil && c.Validate() == nil {
			c.Hash()
		}
	})
}

// The recipe "paper" learns from all additions of the sizes of the table, and from
// nearly all of others.
func TestPaperBatches(t *testing.T) {
	for additions, want := range map[int]int{150: 30, 300: 30, 1500: 30, 3000: 30, 12500: 25, 25000: 25, 20: 20, 33: 32, 64: 32, 37: 18} {
		c := Defaults(2, "energy", "paper", additions)
		if c.Training.Batch != want {
			t.Errorf("%d additions: batches of %d, want %d", additions, c.Training.Batch, want)
		}
		batches := c.Batches(additions, 3)
		if seen := len(batches) * want; additions-seen > 1 {
			t.Errorf("%d of %d additions are learned from", seen, additions)
		}
		if c.Training.Patience != 55*len(batches)-1 || c.Training.ValidEvery != 5*len(batches) {
			t.Errorf("%d additions: %d batches an epoch, patience %d and validation every %d steps",
				additions, len(batches), c.Training.Patience, c.Training.ValidEvery)
		}
	}
}
