#!/bin/sh
# Installs the wheel into a folder of its own, without an index, and runs the tests of the
# package there: sh app/python/test.sh WHEEL [python]. Debian's PyTorch, numpy and pandas are
# installed where they are missing and that is possible; what needs them is skipped elsewhere.
set -eu
wheel=$1 python=${2:-python3} here=$(dirname "$0")
if ! $python -m pip --version >/dev/null 2>&1; then
	echo "test-python: skipped, $python has no pip"
	exit 0
fi
if ! $python -c 'import numpy, torch, pandas' 2>/dev/null && [ "$(command -v apt-get)" ] && [ "$(id -u)" = 0 ]; then
	timeout 300 sh -c 'apt-get update -qq && apt-get install -y -qq --no-install-recommends python3-torch python3-numpy python3-pandas' >/dev/null 2>&1 ||
		echo "test-python: Debian's PyTorch cannot be installed here"
fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cp -r "$here"/test_*.py "$here"/examples "$dir"
$python -m pip install -q --no-index --no-deps --no-compile --target "$dir" "$wheel"
for test in test_hinge test_torch; do
	echo "test-python: $test"
	(cd "$dir" && PATH=/usr/bin:/bin $python -B $test.py)
done
