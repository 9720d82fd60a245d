package machine

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestThis(t *testing.T) {
	if v, ok := field([]byte("a : b\nmodel name\t: X 1\n"), "model name"); !ok || v != "X 1" {
		t.Error(v, ok)
	}
	if text := (Machine{CPU: "X 1", Cores: 1}).String(); !strings.HasPrefix(text, "X 1, 1 core, ") {
		t.Error(text)
	}
	m := This()
	if text, err := json.Marshal(m); err != nil || m.Cores < 1 || len(text) == 0 || !strings.Contains(m.String(), m.Go) {
		t.Errorf("%+v", m)
	}
}
