#!/usr/bin/env python3
"""Learns the weights of block labels: crates/page/src/block/label/weights.txt.

Blocks labelled by people are one JSON object per line: page (a file below the folder of pages), nodes
([first, end) in the tree of the parsed page) and label (the best, or "best,second"). Those that made
the weights are blocks.jsonl beside this file.

    cargo run --release -p bathys-page --example evidence -- PAGES BLOCKS > EVIDENCE
    python3 scripts/labels/train.py EVIDENCE > crates/page/src/block/label/weights.txt

Needs scikit-learn. Multinomial logistic regression on standardised evidence, L2, rare labels counting
nearly as much in all as common ones; the standardisation is folded into the weights. With --check it prints the macro-F1
of a cross-validation by page instead: no page is in both halves.
"""

import json
import sys

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.model_selection import GroupKFold

LABELS = "header navigation main list comments form advert media footer other".split()
STRENGTH = 0.006
BALANCE = 0.8
UNIT = 1000


def learn(evidence, labels):
    """The weights of each piece of evidence (rows) for each label (columns)."""
    mean, spread = evidence.mean(axis=0), evidence.std(axis=0)
    # What hardly ever differs cannot be told from chance.
    spread[spread < 0.02] = np.inf
    counts = np.bincount(labels, minlength=len(LABELS))
    balance = (len(labels) / len(LABELS) / np.maximum(counts, 1)) ** BALANCE
    model = LogisticRegression(C=STRENGTH, max_iter=300)
    model.fit((evidence - mean) / spread, labels, sample_weight=balance[labels])
    weights = np.zeros((evidence.shape[1], len(LABELS)))
    weights[:, model.classes_] = (model.coef_ / spread).T
    # The first piece of evidence is always one: it takes what does not depend on any other.
    weights[0, :] = -100.0
    weights[0, model.classes_] = model.intercept_ - (model.coef_ / spread) @ mean
    return weights


def check(evidence, labels, rows):
    pages = [row["page"] for row in rows]
    found = np.zeros(len(rows), int)
    for known, asked in GroupKFold(5).split(evidence, labels, pages):
        found[asked] = (evidence[asked] @ learn(evidence[known], labels[known])).argmax(axis=1)
    told = [LABELS[at] for at in found]
    # A block that may as well have a second label is right with either.
    right = [name if name in row["label"].split(",") else row["label"].split(",")[0] for name, row in zip(told, rows)]
    by_label = f1_score(right, told, labels=LABELS, average=None, zero_division=0)
    print(f"macro-F1 {by_label.mean():.3f}", *(f"{name} {score:.2f}" for name, score in zip(LABELS, by_label)))


def main():
    rows = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
    evidence = np.array([[value for _, value in row["evidence"]] for row in rows])
    labels = np.array([LABELS.index(row["label"].split(",")[0]) for row in rows])
    if "--check" in sys.argv:
        check(evidence, labels, rows)
        return
    weights = np.rint(learn(evidence, labels) * UNIT).astype(int)
    pages = len({row["page"] for row in rows})
    print(f"# Learned by scripts/labels/train.py from {len(rows)} blocks of {pages} pages; do not edit.")
    print("# Thousandths, by label:", *LABELS)
    for (name, _), row in zip(rows[0]["evidence"], weights):
        print(name, " ".join(map(str, row)), sep="\t")


main()
