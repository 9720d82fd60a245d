package features_test

import (
	"fmt"
	"os"
	"path/filepath"

	"hinge/data/features"
)

// The reference's entity-data-map: entity, features, label.
func ExampleRead() {
	dir, err := os.MkdirTemp("", "features")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "entity-data-map.txt")
	if err := os.WriteFile(path, []byte("paper7\t0.5\t1\t3\npaper9\t0\t0.25\t1\n"), 0o666); err != nil {
		panic(err)
	}
	t, err := features.Read(path, features.Options{Labelled: true})
	if err != nil {
		panic(err)
	}
	row, _ := t.Find("paper9")
	x := make([]float32, t.Width())
	t.Row(x, row)
	fmt.Println(t.Len(), t.Shape, x)
	// Output:
	// 2 [2] [0 0.25]
}
