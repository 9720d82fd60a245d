package drivers

import (
	"io"

	"github.com/parquet-go/parquet-go"

	"hinge/symbolic/facts"
)

// parquetRows writes results as a Parquet file. Its columns are in the order of their names.
type parquetRows struct {
	w *parquet.GenericWriter[any]
	// at are the places of the columns predicate, arg1, arg2, …, value.
	at  []int
	row parquet.Row
}

func createParquet(to io.Writer, arity int) (facts.Rows, error) {
	names := facts.Columns(arity)
	text := parquet.Encoded(parquet.String(), &parquet.RLEDictionary)
	group := parquet.Group{}
	for _, name := range names {
		group[name] = parquet.Optional(text)
	}
	group["predicate"] = text
	group["value"] = parquet.Leaf(parquet.DoubleType)
	schema := parquet.NewSchema("atoms", group)
	r := &parquetRows{at: make([]int, len(names)), row: make(parquet.Row, len(names))}
	for i, name := range names {
		column, _ := schema.Lookup(name)
		r.at[i] = column.ColumnIndex
	}
	r.w = parquet.NewGenericWriter[any](to, schema, parquet.Compression(&parquet.Snappy))
	return r, nil
}

func (r *parquetRows) Write(a *facts.Atom) error {
	set := func(i int, v parquet.Value, level int) { r.row[r.at[i]] = v.Level(0, level, r.at[i]) }
	last := len(r.at) - 1
	set(0, parquet.ByteArrayValue([]byte(a.Predicate)), 0)
	for i := 1; i < last; i++ {
		if i <= len(a.Args) {
			set(i, parquet.ByteArrayValue([]byte(a.Args[i-1])), 1)
		} else {
			set(i, parquet.NullValue(), 0)
		}
	}
	set(last, parquet.DoubleValue(a.Value), 0)
	_, err := r.w.WriteRows([]parquet.Row{r.row})
	return err
}

func (r *parquetRows) Close() error { return r.w.Close() }
