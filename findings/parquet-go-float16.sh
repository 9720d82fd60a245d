#!/bin/sh
# parquet-go 0.32.0, file written by pyarrow 26.0.1. FLOAT16 is a logical type of the format since
# 2.10 (format.LogicalType, field 15), which the library parses. Expected: the column's type says
# FLOAT16, as that of a DATE column says DATE. Found: the column has no logical type; its values are
# two bytes. Only the schema element in the file's metadata tells.
# Seen on 2026-11-27:
#   type FIXED_LEN_BYTE_ARRAY(2), logical type <nil>, in the metadata FLOAT16, first value "\x00>"
set -eu
dir=$(mktemp -d)
trap 'chmod -R u+w "$dir" && rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv venv
venv/bin/pip install -q pyarrow==26.0.1 numpy==2.4.6
venv/bin/python - <<'PY'
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

pq.write_table(pa.table({"x": np.array([1.5, 2], np.float16)}), "x.parquet")
PY
cat >main.go <<'GO'
package main

import (
	"fmt"
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
	column := p.Root().Columns()[0]
	values := make([]parquet.Value, 1)
	parquet.NewColumnChunkValueReader(p.RowGroups()[0].ColumnChunks()[0]).ReadValues(values)
	meta := p.Metadata().Schema[1]
	fmt.Printf("type %v, logical type %v, in the metadata %v, first value %q\n", column.Type(), column.Type().LogicalType(), meta.LogicalType.Value, values[0].ByteArray())
	if column.Type().LogicalType() != nil {
		fmt.Println("CHANGED: the column has a logical type")
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
