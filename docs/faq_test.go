package docs

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestErrorsAreOurs: the messages that FAQ.md quotes, in bold, are in the code, and each has a
// part that at most three places of the code have. Messages of the Go tools, and the parts that
// vary, are left out.
func TestErrorsAreOurs(t *testing.T) {
	var code strings.Builder
	source(t, "..", func(file, _ string) {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		code.Write(text)
	})
	quoted := regexp.MustCompile("(?s)\\*\\*`([^`]+)`").FindAllStringSubmatch(read(t, "docs/FAQ.md"), -1)
	require.GreaterOrEqual(t, len(quoted), 8, "are they still found?")
	varying := regexp.MustCompile(`[…"]|\S*[\d/]\S*|\bG\b|NaN|mnist\S*`)
	for _, m := range quoted {
		message := strings.Join(strings.Fields(m[1]), " ")
		if strings.HasPrefix(message, "go.mod") || strings.HasPrefix(message, "flag provided") {
			continue
		}
		its := false
		for _, part := range varying.Split(message, -1) {
			if part = strings.Trim(part, " :,;"); len(part) <= 4 {
				continue
			}
			n := strings.Count(code.String(), part)
			if n == 0 {
				t.Errorf("no message has %q, of %s", part, message)
			}
			its = its || n > 0 && n <= 3
		}
		if !its {
			t.Errorf("no part of %s is of one message", message)
		}
	}
}
