package npy_test

import (
	"bytes"
	"fmt"

	"hinge/data/npy"
	"hinge/data/npy/npytest"
)

func ExampleRead() {
	file := npytest.File("<i8", false, "2, 2", []int64{1, 2, 3, 4})
	a, err := npy.Read(bytes.NewReader(file))
	fmt.Println(a.Shape, a.Values, err)
	// Output: [2 2] [1 2 3 4] <nil>
}
