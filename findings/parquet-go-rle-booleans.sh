#!/bin/sh
# parquet-go 0.32.0, file written by pyarrow 26.0.1 in data pages of version 2, whose truth values are in
# the encoding RLE. Expected: sixteen times true, as pyarrow reads them. Found: others, and no error: a
# run of true fills its bytes with 1 (true, and seven times false) instead of 255.
# Seen on 2026-11-29:
#   16 values, 2 of them true, error <nil>
set -eu
dir=$(mktemp -d)
trap 'chmod -R u+w "$dir" && rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv venv
venv/bin/pip install -q pyarrow==26.0.1
venv/bin/python - <<'PY'
import pyarrow as pa
import pyarrow.parquet as pq

schema = pa.schema([pa.field("x", pa.bool_(), nullable=False)])
pq.write_table(pa.table([pa.array([True] * 16)], schema), "x.parquet", data_page_version="2.0")
assert pq.read_metadata("x.parquet").row_group(0).column(0).encodings == ("RLE",)
assert pq.read_table("x.parquet")["x"].to_pylist() == [True] * 16
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
	values := make([]parquet.Value, 16)
	n, err := parquet.NewColumnChunkValueReader(p.RowGroups()[0].ColumnChunks()[0]).ReadValues(values)
	if err == io.EOF {
		err = nil
	}
	right := 0
	for _, v := range values[:n] {
		if v.Boolean() {
			right++
		}
	}
	fmt.Printf("%d values, %d of them true, error %v\n", n, right, err)
	if right == 16 || err != nil {
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
