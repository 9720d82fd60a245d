#!/bin/sh
# github.com/adrg/strutil 0.3.1, JaroWinkler. Jaro counts characters as matching that lie at most
# max(n, m)/2 − 1 places apart, which is 0 for texts of two or three characters: "ab" and "ba" have
# no matching character, and the similarity 0. Expected: 0, as jellyfish 1.3.0 and go-edlib 1.7.0 have it.
# Found: 0.8333. Longer texts agree ("MARTHA" and "MARHTA": .9611 by all).
# Seen on 2026-11-28:
#   strutil ab ba 0.8333 MARTHA MARHTA 0.9611
#   edlib ab ba 0.0000 MARTHA MARHTA 0.9611
#   jellyfish ab ba 0.0000 MARTHA MARHTA 0.9611
set -eu
dir=$(mktemp -d)
trap 'chmod -R u+w "$dir" && rm -rf "$dir"' EXIT
cd "$dir"
cat >go.mod <<'MOD'
module finding

go 1.26.0

require (
	github.com/adrg/strutil v0.3.1
	github.com/hbollon/go-edlib v1.7.0
)
MOD
cat >main.go <<'GO'
package main

import (
	"fmt"

	"github.com/adrg/strutil/metrics"
	"github.com/hbollon/go-edlib"
)

func main() {
	short, long := [2]string{"ab", "ba"}, [2]string{"MARTHA", "MARHTA"}
	s := metrics.NewJaroWinkler()
	fmt.Printf("strutil ab ba %.4f MARTHA MARHTA %.4f\n", s.Compare(short[0], short[1]), s.Compare(long[0], long[1]))
	fmt.Printf("edlib ab ba %.4f MARTHA MARHTA %.4f\n", edlib.JaroWinklerSimilarity(short[0], short[1]), edlib.JaroWinklerSimilarity(long[0], long[1]))
}
GO
python3 -m venv venv
venv/bin/pip install -q jellyfish==1.3.0
out=$(GOFLAGS=-mod=mod GOMODCACHE="$dir/mod" go run .
venv/bin/python -c 'import jellyfish as j; print("jellyfish ab ba %.4f MARTHA MARHTA %.4f" % (j.jaro_winkler_similarity("ab", "ba"), j.jaro_winkler_similarity("MARTHA", "MARHTA")))')
echo "$out"
want='strutil ab ba 0.8333 MARTHA MARHTA 0.9611
edlib ab ba 0.0000 MARTHA MARHTA 0.9611
jellyfish ab ba 0.0000 MARTHA MARHTA 0.9611'
test "$out" = "$want" || { echo "this has changed"; exit 1; }
