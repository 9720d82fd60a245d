#!/bin/sh
# encoding/csv of Go 1.26.0. Spreadsheets export UTF-8 with a byte order mark; RFC 4180 allows quotes
# around any field. Expected: a header of two names. Found: an error about a bare quote, because the
# mark counts as the first character of a field that is not quoted. Without quotes the mark becomes
# part of the first name.
# Seen on 2026-11-27:
#   parse error on line 1, column 4: bare " in non-quoted-field
#   ["\ufeffuser" "item"]
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
cat >main.go <<'GO'
package main

import (
	"encoding/csv"
	"fmt"
	"os"
	"strings"
)

func main() {
	_, err := csv.NewReader(strings.NewReader("\uFEFF\"user\",\"item\"\n")).Read()
	row, plain := csv.NewReader(strings.NewReader("\uFEFFuser,item\n")).Read()
	fmt.Printf("%v\n%q\n", err, row)
	if err == nil || plain != nil || row[0] == "user" {
		fmt.Println("CHANGED: the byte order mark is skipped")
		os.Exit(1)
	}
}
GO
go run main.go
