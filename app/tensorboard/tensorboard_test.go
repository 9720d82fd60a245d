package tensorboard

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"

	"hinge/train"
	"hinge/train/learning"
	"hinge/train/record"
)

const metrics = `{"step":1,"split":"train","loss":1.25,"learning_rate":0.5,"grad_norm":3,"terms":{"samples":2,"supervised":4},"solver_s":0.5,"neural_s":1}
{"step":2,"split":"train","loss":0.75,"learning_rate":0.25,"grad_norm":2,"solver_s":0,"neural_s":1,"worst_gap":0.125}
{"step":2,"split":"valid","accuracy":0.625,"parts_accuracy":0.75,"output_entropy":0.5,"rules":[{"rule":"a","weight":0.25,"satisfaction":1},{"rule":"b","weight":0.75,"satisfaction":1}],"solver_s":0,"neural_s":0}
{"step":2,"split":"test","accuracy":0.5,"solver_s":0,"neural_s":0}
`

// began is the time of the settings in the folders of these tests.
var began = time.Unix(1_700_000_000, 0)

// folderOf makes a run folder with two worst cases, of which one has pictures.
func folderOf(t testing.TB) string {
	t.Helper()
	var picture bytes.Buffer
	require.NoError(t, png.Encode(&picture, image.NewGray(image.Rect(0, 0, 5, 3))))
	shown := learning.Shown{
		Confusions: []learning.Confusion{learning.NewConfusion("the network alone", [][]int{{3, 1}, {0, 0}})},
		Cases: []learning.Case{
			{Name: "paper 7", Answer: "a", Truth: "b"},
			{Name: "addition 3", Pictures: [][]byte{picture.Bytes(), picture.Bytes()}, Read: "1 + 2", Answer: "3", Truth: "4"},
		},
	}
	text, err := json.Marshal(shown)
	require.NoError(t, err)
	dir := t.TempDir()
	for name, data := range map[string]string{
		record.ConfigFile: "task = 'toy'\n", record.MetricsFile: metrics, record.ShownFile: string(text),
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600))
	}
	require.NoError(t, os.Chtimes(filepath.Join(dir, record.ConfigFile), began, began))
	return dir
}

// crc is CRC-32C bit by bit, as its definition has it.
func crc(data []byte) uint32 {
	c := ^uint32(0)
	for _, b := range data {
		c ^= uint32(b)
		for range 8 {
			c = c>>1 ^ 0x82f63b78*(c&1)
		}
	}
	return ^c
}

// records reads a file of records and checks every checksum.
func records(t *testing.T, file []byte) (all [][]byte) {
	t.Helper()
	check := func(data []byte, sum uint32) {
		c := crc(data)
		require.Equal(t, (c>>15|c<<17)+0xa282ead8, sum, "checksum")
	}
	for r := bytes.NewReader(file); r.Len() > 0; {
		head, foot := make([]byte, 12), make([]byte, 4)
		_, err := io.ReadFull(r, head)
		require.NoError(t, err)
		check(head[:8], binary.LittleEndian.Uint32(head[8:]))
		data := make([]byte, binary.LittleEndian.Uint64(head))
		_, err = io.ReadFull(r, data)
		require.NoError(t, err)
		_, err = io.ReadFull(r, foot)
		require.NoError(t, err)
		check(data, binary.LittleEndian.Uint32(foot))
		all = append(all, data)
	}
	return all
}

// scalars reads "step tag value" of every scalar, and "wall" of every event.
func scalars(t *testing.T, file []byte) (out []string, walls []float64) {
	t.Helper()
	for _, data := range records(t, file) {
		step := 0
		fields(t, data, func(field protowire.Number, v uint64, b []byte) {
			switch field {
			case 1:
				walls = append(walls, math.Float64frombits(v))
			case 2:
				step = int(v)
			case 5:
				fields(t, b, func(_ protowire.Number, _ uint64, value []byte) {
					tag, number, is := "", float32(0), false
					fields(t, value, func(field protowire.Number, v uint64, b []byte) {
						switch field {
						case 1:
							tag = string(b)
						case 2:
							number, is = math.Float32frombits(uint32(v)), true
						}
					})
					if is {
						out = append(out, fmt.Sprint(step, " ", tag, " ", number))
					}
				})
			}
		})
	}
	return out, walls
}

// fields goes through the fields of a message.
func fields(t *testing.T, b []byte, each func(field protowire.Number, v uint64, b []byte)) {
	t.Helper()
	for len(b) > 0 {
		field, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			t.Fatal(protowire.ParseError(n))
		}
		b = b[n:]
		var v uint64
		var part []byte
		switch kind {
		case protowire.VarintType:
			v, n = protowire.ConsumeVarint(b)
		case protowire.Fixed32Type:
			var w uint32
			w, n = protowire.ConsumeFixed32(b)
			v = uint64(w)
		case protowire.Fixed64Type:
			v, n = protowire.ConsumeFixed64(b)
		default:
			part, n = protowire.ConsumeBytes(b)
		}
		if n < 0 {
			t.Fatal(protowire.ParseError(n))
		}
		each(field, v, part)
		b = b[n:]
	}
}

// eventsOf reads the one event file of a folder.
func eventsOf(t *testing.T, dir string) []byte {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*tfevents*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("event files %v, %v", files, err)
	}
	data, err := os.ReadFile(files[0])
	require.NoError(t, err)
	return data
}

func TestWrite(t *testing.T) {
	dir := folderOf(t)
	for range 2 { // a second one takes the place of the first
		require.NoError(t, Write(dir))
	}
	got, walls := scalars(t, eventsOf(t, dir))
	want := []string{
		"1 train/loss 1.25", "1 train/learning_rate 0.5", "1 train/grad_norm 3", "1 train/neural_seconds 1", "1 train/symbolic_seconds 0.5",
		"1 terms/supervised 4", "1 terms/energy 0", "1 terms/linear 0", "1 terms/quadratic 0", "1 terms/lagrangian 0", "1 terms/gap 0", "1 terms/violation 0", "1 terms/slack 0",
		"2 train/loss 0.75", "2 train/learning_rate 0.25", "2 train/grad_norm 2", "2 train/neural_seconds 1", "2 train/worst_gap 0.125",
		"2 valid/accuracy 0.625", "2 valid/parts_accuracy 0.75", "2 valid/output_entropy 0.5", "2 test/accuracy 0.5",
	}
	if !slices.Equal(got, want) {
		t.Errorf("scalars\n%s", strings.Join(got, "\n"))
	}
	base := float64(began.Unix())
	assert.Equal(t, []float64{base, base + 1.5, base + 2.5, base + 2.5, base + 2.5, base + 2.5}, walls, "times")
}

// TestKnownFile: the bytes that another writer of such files, tensorboard_logger in
// Python, makes of two scalars.
func TestKnownFile(t *testing.T) {
	const want = "\x18\x00\x00\x00\x00\x00\x00\x00\xa3\x7fK\"\t\x00\x00\x00\x00\x00\x08p@\x1a\rbrain.Event:2\xbc\x98!+" +
		"\x19\x00\x00\x00\x00\x00\x00\x00\x8b\xf1\x08(\t\x00\x00\x00\x00\x00\x08p@\x10\x01*\x0c\n\n\n\x03v/1\x15\x00\x00\xc0?,\xec\xc0\x87" +
		"\x1a\x00\x00\x00\x00\x00\x00\x00\x12\x9b\xd8-\t\x00\x00\x00\x00\x00\x08p@\x10\x02*\r\n\x0b\n\x04v/22\x15\x00\x00\x80A\x8f\xa3\xb6\x88"
	var first, second event
	first.scalar("v/1", 1.5)
	second.scalar("v/22", 16)
	var got bytes.Buffer
	for _, data := range [][]byte{versionEvent(256.5), first.encode(256.5, 1), second.encode(256.5, 2)} {
		require.NoError(t, writeRecord(&got, data))
	}
	assert.Equal(t, want, got.String())
}

// TestFollow: line by line there is the same file as all at once, and a line that is not
// yet whole waits.
func TestFollow(t *testing.T) {
	whole := folderOf(t)
	require.NoError(t, Write(whole))
	dir := folderOf(t)
	path := filepath.Join(dir, record.MetricsFile)
	write := func(n int) {
		require.NoError(t, os.WriteFile(path, []byte(metrics[:n]), 0o600))
	}
	o := Follow(quiet{t}, dir)
	write(0)
	o.Start(train.Plan{})
	for _, n := range []int{10, strings.Index(metrics, "\n"), strings.Index(metrics, "\n") + 1, len(metrics)} {
		write(n)
		o.Valid(0, record.Metric{}, train.Passed)
	}
	o.Done()
	assert.Equal(t, eventsOf(t, whole), eventsOf(t, dir), "another file than all at once")
}

// quiet is an observer whose notes are errors.
type quiet struct{ t *testing.T }

func (quiet) Start(train.Plan)                     {}
func (quiet) Step(int, record.Metric)              {}
func (quiet) Valid(int, record.Metric, train.Fate) {}
func (q quiet) Note(text string)                   { q.t.Error(text) }
func (quiet) Done()                                {}

func TestErrors(t *testing.T) {
	dir := folderOf(t)
	require.NoError(t, os.WriteFile(filepath.Join(dir, record.MetricsFile), []byte("{\"step\":1}\n{oops}\n"), 0o600))
	err := Write(dir)
	if data := (*learning.DataError)(nil); !errors.As(err, &data) || !strings.Contains(err.Error(), "metrics.jsonl:2: ") {
		t.Error(err)
	}
	if data := (*learning.DataError)(nil); !errors.As(Write(t.TempDir()), &data) {
		t.Error("a folder without settings is no fault of data")
	}
}

// TestIndependentReader has TensorBoard itself read the file, where Python has it
// (make test-tensorboard installs it beside the project).
func TestIndependentReader(t *testing.T) {
	python := os.Getenv("HINGE_PYTHON")
	if python == "" {
		python = "python3"
	}
	dir := folderOf(t)
	require.NoError(t, Write(dir))
	cmd := exec.CommandContext(t.Context(), python, filepath.Join("testdata", "read.py"), dir)
	text, err := cmd.Output()
	if failed := (*exec.ExitError)(nil); err != nil && (!errors.As(err, &failed) || failed.ExitCode() == 77) {
		t.Skipf("no Python with the package tensorboard here (%v); make test-tensorboard installs it", err)
	} else if err != nil {
		t.Fatalf("%v\n%s", err, failed.Stderr)
	}
	var got struct {
		Scalars    map[string][][3]float64
		Histograms map[string][][]any
		Images     map[string][][]any
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	base := float64(began.Unix())
	assert.Equal(t, [][3]float64{{1, base + 1.5, 1.25}, {2, base + 2.5, .75}}, got.Scalars["train/loss"], "loss")
	if n := len(got.Scalars); n != 18 {
		t.Errorf("%d scalars: %s", n, text)
	}
	for tag, want := range map[string]string{"rules/weight": "[2 2 0.25 0.75 1 [", "rules/satisfaction": "[2 2 1 1 2 ["} {
		if v := got.Histograms[tag]; len(v) != 1 || !strings.HasPrefix(fmt.Sprint(v[0]), want) {
			t.Errorf("%s: %v", tag, v)
		}
	}
	for tag, want := range map[string]string{"worst/02": "[2 10 3 PNG]", "confusion/the network alone": "[2 32 32 PNG]"} {
		if v := got.Images[tag]; len(v) != 1 || fmt.Sprint(v[0]) != want {
			t.Errorf("%s: %v", tag, v)
		}
	}
	assert.Len(t, got.Images, 2)
}

// The first bytes of an event file: a record of its version.
func Example() {
	var file bytes.Buffer
	if err := writeRecord(&file, versionEvent(1)); err != nil {
		fmt.Println(err)
	}
	fmt.Printf("%d bytes: %q\n", file.Len(), file.Bytes()[12:file.Len()-4])
	// Output: 40 bytes: "\t\x00\x00\x00\x00\x00\x00\xf0?\x1a\rbrain.Event:2"
}
