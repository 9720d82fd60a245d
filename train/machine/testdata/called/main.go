// Command called says how it is called.
package main

import (
	"fmt"

	"hinge/train/machine"
)

func main() { fmt.Printf("%q", machine.Command()) }
