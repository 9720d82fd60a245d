package train

import (
	"io"
	"os"
	"path/filepath"

	"hinge/train/checkpoint"
)

// ONNXWriter is implemented by models whose network has a form in ONNX.
type ONNXWriter interface {
	// WriteONNX writes the network with the weights in place. It returns a
	// UsageError, and writes nothing, where a setting rules that out.
	WriteONNX(w io.Writer) error
}

// CheckExport tells, as a UsageError, whether Export can write the model to a file
// of that name, before the work that leads there.
func CheckExport(path string, m Model) error {
	write, err := exporter(path, m)
	if err != nil {
		return err
	}
	if info, err := os.Stat(filepath.Dir(path)); err != nil || !info.IsDir() {
		return Usage("export", "there is no folder %s to write %s to", filepath.Dir(path), filepath.Base(path))
	}
	if filepath.Ext(path) == onnxEnding {
		return write(io.Discard)
	}
	return nil
}

// Export writes the model's network with the weights in place: those that are
// tested, after Run, Evaluate and LoadTested. The file's ending chooses the form:
// .safetensors has the tensors of Model.Export, .onnx the
// network itself (ONNXWriter). The file appears completely or not at all.
func Export(path string, m Model) error {
	write, err := exporter(path, m)
	if err != nil {
		return err
	}
	file, err := os.CreateTemp(filepath.Dir(path), ".export-*")
	if err != nil {
		return Usage("export", "%v", err)
	}
	defer os.Remove(file.Name()) //nolint:errcheck // gone when all went well
	err = write(file)
	if err == nil {
		err = file.Chmod(0o644)
	}
	if e := file.Close(); err == nil {
		err = e
	}
	if err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}

const onnxEnding = ".onnx"

// exporter returns what writes a file of that name.
func exporter(path string, m Model) (func(io.Writer) error, error) {
	switch ending := filepath.Ext(path); ending {
	case ".safetensors":
		return func(w io.Writer) error {
			return checkpoint.WriteSafetensors(w, m.Export())
		}, nil
	case onnxEnding:
		if x, ok := m.(ONNXWriter); ok {
			return x.WriteONNX, nil
		}
		return nil, Usage("export", "this task writes no ONNX: its model has no method WriteONNX (train.ONNXWriter); a file ending in .safetensors takes its weights")
	default:
		return nil, Usage("export", "%q ends neither in .safetensors nor in .onnx", path)
	}
}
