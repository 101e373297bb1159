#!/usr/bin/env python3
"""Learns the weights of block labels: alone.txt and among.txt in crates/page/src/block/label.

Blocks labelled by people are one JSON object per line: page (a file below the folder of pages), nodes
([first, end) in the tree of the parsed page) and label (the best, or "best,second"). Those that made
the weights are blocks.jsonl beside this file; pages named series/... are versions of a series.

    cargo run --release -p bathys-page --example evidence -- PAGES BLOCKS > EVIDENCE
    python3 scripts/labels/train.py EVIDENCE crates/page/src/block/label

Needs scikit-learn. Multinomial logistic regression on standardised evidence, L2, rare labels counting
more than common ones; the standardisation is folded into the weights. Blocks are weighed twice: alone,
and among others, with the likelihoods that the first weights give for the labels of the block around
and those before and after. These are learned from weights that have not seen the page, as they will be
for a new one. With --check it prints the macro-F1 of a cross-validation by page instead: no page is in
both parts.
"""

import json
import sys

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.model_selection import GroupKFold

LABELS = "header navigation main list comments form advert media footer other".split()
PLACES = "around before next".split()
STRENGTH = 0.006
BALANCE = 0.65
UNIT = 1000
FOLDS = 5


class Blocks:
    """All blocks of the pages, and the rows of those that people labelled."""

    def __init__(self, file):
        with open(file, encoding="utf-8") as lines:
            self.names = json.loads(next(lines))["names"]
            first, self.beside, evidence, certain, given, pages = {}, [], [], [], [], []
            for number, line in enumerate(lines):
                block = json.loads(line)
                offset = first.setdefault(block["page"], number)
                self.beside.append([-1 if at is None else offset + at for at in block["beside"]])
                evidence.append(np.array(block["evidence"], dtype=np.float32))
                certain.append(block["certain"])
                given.append(block["label"])
                pages.append(block["page"])
        self.beside = np.array(self.beside)
        self.evidence = np.array(evidence, dtype=float)
        self.certain = np.array([LABELS.index(name) if name else -1 for name in certain])
        self.rows = np.array([at for at, label in enumerate(given) if label])
        self.given = [given[at].split(",") for at in self.rows]
        self.labels = np.array([LABELS.index(names[0]) for names in self.given])
        self.pages = np.array([pages[at] for at in self.rows])

    def own(self, rows):
        return self.evidence[self.rows[rows]]

    def among(self, weights, rows):
        """The evidence of labelled blocks with the likelihoods of the labels beside them."""
        beside = self.beside[self.rows[rows]]
        parts = [self.own(rows)]
        for place in range(len(PLACES)):
            at = beside[:, place]
            likely = likelihoods(self.evidence[at] @ weights)
            known = self.certain[at] >= 0
            likely[known] = np.eye(len(LABELS))[self.certain[at][known]]
            likely[at < 0] = 0
            parts.append(likely)
        return np.hstack(parts)


def likelihoods(scores):
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    return shares / shares.sum(axis=1, keepdims=True)


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


def parted(blocks, rows):
    """Folds of rows, no page in two of them."""
    folds = GroupKFold(FOLDS).split(rows, groups=blocks.pages[rows])
    return [(rows[known], rows[asked]) for known, asked in folds]


def learn_both(blocks, rows):
    alone = learn(blocks.own(rows), blocks.labels[rows])
    seen, evidence = [], []
    for known, asked in parted(blocks, rows):
        seen.append(asked)
        evidence.append(blocks.among(learn(blocks.own(known), blocks.labels[known]), asked))
    return alone, learn(np.vstack(evidence), blocks.labels[np.concatenate(seen)])


def check(blocks, rows):
    found = np.zeros(len(rows), int)
    for known, asked in parted(blocks, rows):
        alone, among = learn_both(blocks, known)
        found[asked] = (blocks.among(alone, asked) @ among).argmax(axis=1)
    certain = blocks.certain[blocks.rows]
    told = [LABELS[at] for at in np.where(certain >= 0, certain, found)]
    # A block that may as well have a second label is right with either.
    right = [name if name in given else given[0] for name, given in zip(told, blocks.given)]
    by_label = f1_score(right, told, labels=LABELS, average=None, zero_division=0)
    print(f"macro-F1 {by_label.mean():.3f}", *(f"{name} {score:.2f}" for name, score in zip(LABELS, by_label)))


def write(file, blocks, names, weights):
    pages = len(set(blocks.pages))
    with open(file, "w", encoding="utf-8") as out:
        print(f"# Learned by scripts/labels/train.py from {len(blocks.rows)} blocks of {pages} pages; do not edit.", file=out)
        print("# Thousandths, by label:", *LABELS, file=out)
        for name, row in zip(names, np.rint(weights * UNIT).astype(int)):
            print(name, " ".join(map(str, row)), sep="\t", file=out)


def main():
    blocks = Blocks(sys.argv[1])
    rows = np.arange(len(blocks.rows))
    if "--check" in sys.argv:
        check(blocks, rows)
        return
    alone, among = learn_both(blocks, rows)
    beside = [f"{place}.{label}" for place in PLACES for label in LABELS]
    write(f"{sys.argv[2]}/alone.txt", blocks, blocks.names, alone)
    write(f"{sys.argv[2]}/among.txt", blocks, blocks.names + beside, among)


main()
