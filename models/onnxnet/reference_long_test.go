//go:build long

package onnxnet

import (
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestLargerReference: so are larger ones, which PyTorch makes where it is installed.
func TestLargerReference(t *testing.T) {
	const python = "/usr/bin/python3" // Debian's, which has Debian's PyTorch
	if err := exec.Command(python, "-c", "import torch").Run(); err != nil {
		t.Skip("no PyTorch: install python3-torch of Debian to compare ResNet18, MobileNetV2 and LeNet with it")
	}
	dir := t.TempDir()
	for _, name := range []string{"lenet", "resnet18", "mobilenet"} {
		t.Run(name, func(t *testing.T) {
			if out, err := exec.Command(python, filepath.Join("testdata", "reference.py"), dir, name).CombinedOutput(); err != nil {
				t.Fatal(fmt.Errorf("%w: %s", err, out))
			}
			compare[float64](t, filepath.Join(dir, name), 1e-6, 1e-6)
			compare[float32](t, filepath.Join(dir, name), 1e-4, math.Inf(1))
		})
	}
}
