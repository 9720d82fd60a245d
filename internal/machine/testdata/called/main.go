// Command called says how it is called.
package main

import (
	"fmt"

	"hinge/internal/machine"
)

func main() { fmt.Printf("%q", machine.Command()) }
