"""Splink's matches of the two restaurant guides of examples/matching, judged on the pairs of the
part infer that the example judges: python3 splink.py FOLDER-OF-THE-EXAMPLE PAIRS.csv, where PAIRS.csv
is what cmd/infer wrote with -out."""

import csv
import re
import sys

import pandas
import splink.comparison_library as compare
from splink import DuckDBAPI, Linker, SettingsCreator, block_on

folder, pairs = sys.argv[1:]
tables = []
for name in ("fodors", "zagats"):
    table = pandas.read_csv(f"{folder}/data/{name}.csv", dtype=str)
    table["phone"] = table["phone"].map(lambda x: re.sub(r"\D", "", x))
    tables.append(table.rename(columns={"id": "unique_id"})[["unique_id", "name", "addr", "phone"]])

settings = SettingsCreator(
    link_type="link_only",
    comparisons=[
        compare.JaroWinklerAtThresholds("name", [0.9, 0.7]),
        compare.JaroWinklerAtThresholds("addr", [0.9, 0.7]),
        compare.ExactMatch("phone"),
    ],
    blocking_rules_to_generate_predictions=["1=1"],
)
api = DuckDBAPI()
try:  # version 5
    linker = Linker([api.register(table) for table in tables], settings)
except Exception:
    linker = Linker(tables, settings, db_api=api)
linker.training.estimate_probability_two_random_records_match([block_on("phone")], recall=0.9)
linker.training.estimate_u_using_random_sampling(max_pairs=1e6, seed=1)
linker.training.estimate_parameters_using_expectation_maximisation(block_on("phone"))
linker.training.estimate_parameters_using_expectation_maximisation(block_on("name"))
found = linker.inference.predict(threshold_match_probability=0.0001).as_pandas_dataframe()
probability = {}
for row in found.itertuples():
    probability[tuple(sorted((row.unique_id_l, row.unique_id_r), key=int, reverse=True))] = row.match_probability

truth = set()
with open(f"{folder}/data/matches.csv") as f:
    for row in csv.DictReader(f):
        if row["part"] == "infer":
            truth.add((row["fodors_id"], row["zagats_id"]))


def score(answers, name):
    """F1 of the pairs whose answer is above .5."""
    matched = {pair for pair, value in answers.items() if value > 0.5}
    right = len(matched & truth)
    precision, recall = right / max(len(matched), 1), right / len(truth)
    f1 = 2 * precision * recall / max(precision + recall, 1e-9)
    print(f"{name}: precision {precision:.4f} recall {recall:.4f} F1 {f1:.4f}")


ours = {}
with open(pairs) as f:
    for row in csv.DictReader(f):
        if row["predicate"].lower() == "same":
            ours[row["arg1"], row["arg2"]] = float(row["value"])
theirs = {pair: probability.get(pair, 0.0) for pair in ours}
score(ours, "Hinge")
score(theirs, "splink")
best = {}
for (left, right), value in sorted(theirs.items(), key=lambda item: -item[1]):
    if left not in {l for l, _ in best} and right not in {r for _, r in best}:
        best[left, right] = value
score(best, "splink, each record once, by falling probability")
