package mnist_test

import (
	"fmt"

	"hinge/data/mnist"
)

// The training additions of the smallest experiment, and the first image of
// the first one as the network sees it at step 0.
func Example() {
	set, err := mnist.Load("")
	if err != nil {
		fmt.Println(err)
		return
	}
	split, err := mnist.NewSplit(set.Train, 1, 300, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(split.Train.Len(), split.Valid.Len(), split.Test.Len())

	row := split.Train.Row(0)
	a, b := set.Train.Label(int(row[0])), set.Train.Label(int(row[1]))
	fmt.Println(split.Train.Sums[0].Int() == a+b)

	augment, err := mnist.NewAugmenter(mnist.Light(), 7)
	if err != nil {
		fmt.Println(err)
		return
	}
	x := make([]float32, mnist.Pixels)
	augment.Apply(x, set.Train.Raw(int(row[0])), 0, 0)
	fmt.Println(len(x))
	// Output:
	// 300 500 500
	// true
	// 784
}
