"""Writes the stories of CLUTRR as a folder of facts for cmd/rules -ask relation.

    python3 lab/relational/clutrr.py data_db9b8f04 FOLDER [10]

reads the training stories and those of the test with 10 relations of an unpacked archive. What a story
tells goes to facts.txt, what it asks to train.txt, every twentieth to valid.txt, or to test.txt.
"""

import ast
import csv
import pathlib
import sys

source, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
test = source / f"1.{(sys.argv + ['10'])[3]}_test.csv"
folder.mkdir(parents=True, exist_ok=True)
files = {name: open(folder / f"{name}.txt", "w") for name in ("facts", "train", "valid", "test")}
number = 0
for path in [*sorted(source.glob("*_train.csv")), test]:
    for row in csv.DictReader(open(path)):
        number += 1
        asked = "test" if path == test else "train" if number % 20 else "valid"
        told = zip(ast.literal_eval(row["story_edges"]), ast.literal_eval(row["edge_types"]))
        for name, (a, b), relation in [*(("facts", *t) for t in told), (asked, ast.literal_eval(row["query_edge"]), row["target"])]:
            print(f"s{number}.{a}\t{relation}\ts{number}.{b}", file=files[name])
