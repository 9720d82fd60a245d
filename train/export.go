package train

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hinge/symbolic/facts"
	"hinge/train/checkpoint"
	"hinge/train/config"
	"hinge/train/learning"
)

// CheckExport returns a UsageError if Export cannot write the model to a file of that name, so
// that the mistake is found before the work that leads to the export.
func CheckExport(path string, m learning.Model) error {
	files, err := exported(path, m)
	if err != nil {
		return err
	}
	if info, err := os.Stat(filepath.Dir(path)); err != nil || !info.IsDir() {
		return config.Usage("export", "there is no folder %s to write %s to", filepath.Dir(path), filepath.Base(path))
	}
	for _, source := range m.Rulebook().Sources() {
		for _, f := range files {
			if facts.SameFile(f.path, source) {
				return config.Usage("export", "the model is read from %s; name another", f.path)
			}
		}
	}
	if filepath.Ext(path) == tensorEnding {
		return nil // every model has them
	}
	for _, f := range files {
		if err := f.write(io.Discard); err != nil {
			return err
		}
	}
	return nil
}

// Export writes the model's networks with the current weights: the tested weights after Run,
// Evaluate and LoadTested. The file's ending chooses the form: .safetensors has the tensors of
// Model.Export, .onnx the network itself (Model.ONNX). Of several networks each becomes a file
// with the network's name before the ending. .psl has the rules with their weights (Model.WriteRules).
// Export returns the files, each of which appears
// completely or not at all.
func Export(path string, m learning.Model) (paths []string, err error) {
	files, err := exported(path, m)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		if err := f.save(); err != nil {
			return paths, err
		}
		paths = append(paths, f.path)
	}
	return paths, nil
}

const (
	tensorEnding = ".safetensors"
	onnxEnding   = ".onnx"
	rulesEnding  = ".psl"
)

// export is a file to write.
type export struct {
	path  string
	write func(io.Writer) error
}

// save writes the file beside its place first.
func (e *export) save() error {
	err := facts.WriteFile(e.path, func(w *bufio.Writer) error { return e.write(w) })
	if errors.As(err, new(*fs.PathError)) {
		return config.Usage("export", "%v", err)
	}
	return err
}

func exported(path string, m learning.Model) (list []export, err error) {
	ending := filepath.Ext(path)
	if (ending == tensorEnding || ending == onnxEnding) && len(m.Neural().Export()) == 0 {
		return nil, config.Usage("export", "there is no network to write to %s; learned rules go to a file that ends in %s", path, rulesEnding)
	}
	switch ending {
	case tensorEnding:
		return []export{{path, func(w io.Writer) error {
			return checkpoint.WriteSafetensors(w, slices.DeleteFunc(m.Neural().Export(), func(t checkpoint.Tensor) bool {
				_, text := t.Data.([]uint8) // Meaning, which is for checkpoints
				return text
			}))
		}}}, nil
	case onnxEnding:
		files, err := m.Neural().ONNX()
		for _, f := range files {
			own := path
			if len(files) > 1 {
				own = strings.TrimSuffix(path, ending) + "." + f.Name + ending
			}
			list = append(list, export{own, f.Write})
		}
		return list, err
	case rulesEnding:
		return []export{{path, m.Rulebook().WriteRules}}, nil
	default:
		return nil, config.Usage("export", "%q ends neither in .safetensors nor in .onnx nor in .psl", path)
	}
}
