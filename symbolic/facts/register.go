package facts

import "io"

// What hinge/symbolic/facts/drivers registers.
var (
	openParquet   func(path string) (Table, error)
	createParquet func(to io.Writer, arity int) (Rows, error)
)

// RegisterParquet makes Parquet files readable and writable. It is called while a program
// starts, once.
func RegisterParquet(open func(path string) (Table, error), create func(to io.Writer, arity int) (Rows, error)) {
	openParquet, createParquet = open, create
}
