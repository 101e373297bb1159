#!/usr/bin/env python3
"""Learns which tables hold data: weights.txt in crates/record/src/table.

Tables labelled by people are labels.tsv in crates/bench/src/tables, with how they were judged.

    cargo run --release -p bathys-record --example tables -- PAGES crates/bench/src/tables/labels.tsv > EVIDENCE
    python3 scripts/labels/tables.py EVIDENCE crates/record/src/table/weights.txt

Needs scikit-learn. Logistic regression, L2 on standardised evidence, each page counting once whatever its
number of tables, data and layout alike in all. What speaks for data by convention never speaks against it,
and the other way round: there are too few labelled tables to learn that from. Tables of
pairs (one thing, a name and a value a row) are left out. With --check it prints what a cross-validation by
page finds and takes by mistake instead: no page is in both parts.
"""

import json
import sys

import numpy as np
from scipy.optimize import minimize
from sklearn.model_selection import StratifiedGroupKFold

STRENGTH = 0.05
# What all tables together weigh against what is expected.
WORTH = 40
# What the conventions of HTML and ARIA say and few labelled tables show: which side it speaks for, and how much
# until labels say otherwise.
FOR = {"rows", "columns", "even", "head", "marked_head", "caption", "data_role", "numbers", "typed_columns", "distinct"}
AGAINST = {"one_column", "one_row", "placing_role", "holds_tables", "inside_table", "empty", "long", "pictures", "controls", "blocks"}
EXPECTED = {"marked_head": 2.0, "caption": 2.0, "data_role": 3.0, "placing_role": -3.0}
FOLDS = 10
UNIT = 1000


NAMES = []


def read(file):
    with open(file, encoding="utf-8") as lines:
        names = json.loads(next(lines))["names"]
        tables = [json.loads(line) for line in lines]
    tables = [table for table in tables if table["kind"] != "pairs"]
    evidence = np.array([table["evidence"] for table in tables])
    is_data = np.array([table["kind"] == "data" for table in tables])
    pages = np.array([table["page"] for table in tables])
    NAMES[:] = names
    return evidence, is_data, pages


def learn(evidence, is_data, pages):
    _, index, counts = np.unique(pages, return_inverse=True, return_counts=True)
    weight = 1.0 / counts[index]
    for kind in (False, True):
        weight[is_data == kind] /= weight[is_data == kind].sum()
    weight *= WORTH
    scale = evidence.std(axis=0)
    scale[scale == 0] = 1
    expected = np.array([EXPECTED.get(name, 0.0) for name in NAMES])
    sign = np.where(is_data, 1.0, -1.0)

    def loss(weights):
        margin = sign * (evidence @ weights)
        shift = (weights - expected) * scale
        shift[0] = 0
        value = (weight * np.logaddexp(0, -margin)).sum() + STRENGTH * (shift**2).sum()
        slope = -(evidence * (weight * sign / (1 + np.exp(margin)))[:, None]).sum(axis=0)
        return value, slope + 2 * STRENGTH * shift * scale

    bounds = [(0, None) if name in FOR else (None, 0) if name in AGAINST else (None, None) for name in NAMES]
    return minimize(loss, expected, jac=True, method="L-BFGS-B", bounds=bounds).x


def main():
    evidence, is_data, pages = read(sys.argv[1])
    if "--check" in sys.argv:
        said = np.zeros(len(is_data))
        folds = StratifiedGroupKFold(FOLDS, shuffle=True, random_state=1)
        for train, test in folds.split(evidence, is_data, pages):
            said[test] = evidence[test] @ learn(evidence[train], is_data[train], pages[train])
        for kind, chosen in (("data found", is_data), ("layout taken", ~is_data)):
            print(f"{kind}: {int((said[chosen] > 0).sum())} of {int(chosen.sum())}")
        for at in np.flatnonzero((said > 0) != is_data):
            print(f"  {pages[at]} {'data' if is_data[at] else 'layout'} {said[at]:.2f}")
        return
    weights = learn(evidence, is_data, pages)
    with open(sys.argv[2], "w", encoding="utf-8") as out:
        for name, weight in zip(NAMES, weights):
            out.write(f"{round(weight * UNIT)} {name}\n")


if __name__ == "__main__":
    main()
