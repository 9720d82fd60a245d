#!/bin/sh
# parquet-go 0.32.0, file written by pyarrow 26.0.1 with compression="lz4", which is LZ4_RAW in the
# file. Expected: the numbers 0 to 499, as pyarrow reads them. Found: other numbers, and no error: the
# codec decodes into a new slice where the page's buffer is short, and the page keeps the old bytes.
# Seen on 2026-11-27:
#   500 values, 1 of them right, error <nil>
set -eu
dir=$(mktemp -d)
trap 'chmod -R u+w "$dir" && rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv venv
venv/bin/pip install -q pyarrow==26.0.1
venv/bin/python - <<'PY'
import pyarrow as pa
import pyarrow.parquet as pq

schema = pa.schema([pa.field("x", pa.int64(), nullable=False)])
pq.write_table(pa.table([pa.array(range(500))], schema), "x.parquet", compression="lz4", use_dictionary=False)
assert pq.read_table("x.parquet")["x"].to_pylist() == list(range(500))
PY
cat >main.go <<'GO'
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/parquet-go/parquet-go"
)

func main() {
	f, err := os.Open("x.parquet")
	if err != nil {
		panic(err)
	}
	info, _ := f.Stat()
	p, err := parquet.OpenFile(f, info.Size())
	if err != nil {
		panic(err)
	}
	values := make([]parquet.Value, 500)
	n, err := parquet.NewColumnChunkValueReader(p.RowGroups()[0].ColumnChunks()[0]).ReadValues(values)
	if err == io.EOF {
		err = nil
	}
	right := 0
	for i, v := range values[:n] {
		if v.Int64() == int64(i) {
			right++
		}
	}
	fmt.Printf("%d values, %d of them right, error %v\n", n, right, err)
	if right == 500 || err != nil {
		fmt.Println("CHANGED: the values are right, or refused")
		os.Exit(1)
	}
}
GO
cat >go.mod <<'MOD'
module finding

go 1.26.0

require github.com/parquet-go/parquet-go v0.32.0
MOD
go mod tidy >/dev/null 2>&1
go run .
