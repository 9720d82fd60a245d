package train

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/pelletier/go-toml/v2"

	"hinge/train/config"
)

// noteSettings prints one line if settings for a model lie beside it and a run takes none from
// a file: with the defaults such a model may not learn.
func (o *options) noteSettings(w io.Writer) {
	if o.quiet || o.unread == "" {
		return
	}
	fmt.Fprintf(w, "%s: %s has settings for this model, which this run does not take; -config %s does\n", program(), o.unread, o.unread)
}

// settingsBeside returns the file config.toml beside the model file that the command line names, if it
// is for that model, else "".
func settingsBeside(changes []change) string {
	model := ""
	for _, c := range changes {
		if c.key == "options.model" {
			model, _ = c.value.(string)
		}
	}
	if model == "" {
		return ""
	}
	file := filepath.Join(filepath.Dir(model), "config.toml")
	text, err := config.ReadFile(file)
	if err != nil {
		return ""
	}
	var named struct{ Options struct{ Model string } }
	if toml.Unmarshal(text, &named) != nil {
		return ""
	}
	one, err := os.Stat(model)
	other, otherErr := os.Stat(named.Options.Model)
	if err != nil || otherErr != nil || !os.SameFile(one, other) {
		return ""
	}
	return file
}
