package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// rowsFrom decodes what a measuring process has written.
func rowsFrom(t *testing.T, out *bytes.Buffer) []Row {
	t.Helper()
	var rows []Row
	for line := range strings.Lines(out.String()) {
		var r Row
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		rows = append(rows, r)
	}
	return rows
}

func taskText(t *testing.T, task Task) string {
	t.Helper()
	text, err := json.Marshal(task)
	require.NoError(t, err)
	return string(text)
}

// The measuring process writes a row a stage, and the reason of a failure.
func TestServe(t *testing.T) {
	var out bytes.Buffer
	task := Task{Cell: cell("chain", 400, "ipm"), Limit: 10 * time.Second, Repeat: 1}
	require.NoError(t, Serve(context.Background(), taskText(t, task), &out))
	var stages []string
	for _, r := range rowsFrom(t, &out) {
		stages = append(stages, string(r.Stage))
		if r.Cell != task.Cell || r.Limit != 10 {
			t.Errorf("%+v", r)
		}
	}
	assert.Equal(t, "grounded cold done", strings.Join(stages, " "), "stages")
	out.Reset()
	task.Cell.Model = "maze"
	assert.Error(t, Serve(context.Background(), taskText(t, task), &out), "no such family is no error")
	if rows := rowsFrom(t, &out); len(rows) != 1 || rows[0].Status != Failed || !strings.Contains(rows[0].Error, "maze") {
		t.Errorf("%+v", rows)
	}
	assert.Error(t, Serve(context.Background(), "{", &out), "half a task is no error")
}

// A process over its memory says so itself.
func TestServeMemory(t *testing.T) {
	var out bytes.Buffer
	task := Task{Cell: cell("add2-soft", 1e5, "ipm"), Limit: 10 * time.Second, Memory: 1 << 20}
	require.NoError(t, Serve(context.Background(), taskText(t, task), &out))
	rows := rowsFrom(t, &out)
	if last := rows[len(rows)-1]; last.Status != MemoryLimit || !last.Limited() {
		t.Errorf("%+v", last)
	}
}

// A process that ends in failure without a word is a failed cell.
func TestMeasureProcessFails(t *testing.T) {
	s := Suite{Command: func(ctx context.Context, _ string) *exec.Cmd { return exec.CommandContext(ctx, "false") }}
	r, err := s.measure(context.Background(), &Task{Cell: cell("chain", 40, "auto"), Limit: time.Second})
	if err != nil || r.Status != Failed || r.Error == "" {
		t.Errorf("%+v, %v", r, err)
	}
}
