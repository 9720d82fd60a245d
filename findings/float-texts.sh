#!/bin/sh
# Go 1.26.0, Python 3.11.7 and the SQLite in its library. Expected: programs that print the shortest
# decimal of a float64 print the same text. Found: all digits agree and the notations do not, so texts
# of the same number from two programs are no common key. Go writes an
# exponent from the seventh digit before the point on.
# Seen on 2026-11-27:
#   Go %v    1.23456789e+06 1e+15
#   Go 'g'   1.23456789e+06 1e+15
#   Python   1234567.89 1000000000000000.0
#   SQLite   1234567.89 1.0e+15
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
cat >main.go <<'GO'
package main

import (
	"fmt"
	"strconv"
)

func main() {
	fmt.Println("Go %v   ", 1234567.89, 1e15)
	fmt.Println("Go 'g'  ", strconv.FormatFloat(1234567.89, 'g', -1, 64), strconv.FormatFloat(1e15, 'g', -1, 64))
}
GO
go run main.go >seen
python3 - >>seen <<'PY'
import sqlite3

print("Python  ", 1234567.89, 1e15)
print("SQLite  ", *sqlite3.connect(":memory:").execute("SELECT CAST(1234567.89 AS TEXT), CAST(1e15 AS TEXT)").fetchone())
PY
cat seen
[ "$(cut -c10- seen | sort -u | wc -l)" -ge 3 ] || { echo "CHANGED: the texts agree"; exit 1; }
