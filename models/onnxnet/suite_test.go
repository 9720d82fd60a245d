package onnxnet

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/nn"
)

// suiteTest is a line of the manifest of the node tests.
type suiteTest struct {
	Test, File   string
	Batch, Opset int
	Shape        []int
	Ops          []string
}

// TestNodeSuite holds the operators against the public node tests of ONNX, which lie in a
// folder that HINGE_CASES names: an answer is right or refused, never wrong.
func TestNodeSuite(t *testing.T) {
	cases := os.Getenv("HINGE_CASES")
	if cases == "" {
		t.Skip("HINGE_CASES names no folder of cases")
	}
	file, err := os.Open(filepath.Join(cases, "onnx-nodes", "onnx-nodes.tar.gz"))
	if os.IsNotExist(err) {
		t.Skip("the cases hold no onnx-nodes")
	}
	require.NoError(t, err)
	defer file.Close() //nolint:errcheck // it is read
	unzipped, err := gzip.NewReader(file)
	require.NoError(t, err)
	files := map[string][]byte{}
	for r := tar.NewReader(unzipped); ; {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
		files[path.Base(h.Name)], err = io.ReadAll(r)
		require.NoError(t, err)
	}
	right, wrong, refused := 0, 0, 0
	for lines := bufio.NewScanner(bytes.NewReader(files["manifest.jsonl"])); lines.Scan(); {
		var c suiteTest
		require.NoError(t, json.Unmarshal(lines.Bytes(), &c))
		base := c.File[:len(c.File)-len(".onnx")]
		got, err := suiteAnswer(files[c.File], c, doubles(t, files[base+".x"]))
		if err != nil {
			refused++
			t.Logf("refused %s: %v", c.Test, err)
			continue
		}
		want := doubles(t, files[base+".y"])
		same := len(got) == len(want)
		for i := range want {
			same = same && (math.IsNaN(got[i]) && math.IsNaN(want[i]) || got[i] == want[i] || math.Abs(got[i]-want[i]) <= 1e-7+1e-3*math.Abs(want[i]))
		}
		if !same {
			wrong++
			t.Errorf("wrong %s: %v, want %v", c.Test, got, want)
			continue
		}
		right++
	}
	if right < 385 {
		t.Errorf("%d right, want 385 at least", right)
	}
	fmt.Printf("right %d, wrong %d, refused %d\n", right, wrong, refused)
}

// suiteAnswer computes a test's output for its batch as a whole.
func suiteAnswer(data []byte, c suiteTest, x []float64) ([]float64, error) {
	f, err := Parse(data)
	if err != nil {
		return nil, err
	}
	net, err := nn.NewWhole(c.Shape[1:], c.Batch, Define[float64](f), rand.New(rand.NewPCG(1, 1)))
	if err != nil {
		return nil, err
	}
	g, err := net.Graph(c.Batch, false)
	if err != nil {
		return nil, err
	}
	if _, err := g.Compile(nil); err != nil {
		return nil, err
	}
	// Outputs that are no numbers, right here, come with an error.
	if err := g.Run(x); err != nil && !errors.As(err, new(*nn.DivergedError)) {
		return nil, err
	}
	return g.Result(), nil
}

func doubles(t *testing.T, raw []byte) []float64 {
	out := make([]float64, len(raw)/8)
	_, err := binary.Decode(raw, binary.LittleEndian, out)
	require.NoError(t, err)
	return out
}
