package sudoku_test

import (
	"fmt"

	"hinge/data/mnist"
	"hinge/data/sudoku"
)

func ExampleNewSplit() {
	set, err := mnist.Load("")
	if err != nil {
		panic(err)
	}
	images := set.All()
	split, err := sudoku.NewSplit(images, 4, 100, 0)
	if err != nil {
		panic(err)
	}
	fmt.Println(split.Train.Len(), split.Valid.Len(), split.Test.Len())
	for board := range 2 {
		digits := make([]int, 16)
		for cell, image := range split.Train.Row(board) {
			digits[cell] = images.Label(int(image))
		}
		fmt.Println(digits, sudoku.Valid(4, digits))
	}
	// Output:
	// 200 200 200
	// [2 0 1 3 3 1 0 2 1 3 2 0 0 2 3 1] true
	// [2 2 1 3 3 1 0 2 2 3 2 0 0 2 3 1] false
}
