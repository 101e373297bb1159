#!/usr/bin/env python3
"""Reads a WARC file with FastWARC, a reader that we did not write, and checks every digest.

Usage: fastwarc_digests.py FILE

Prints how many records of each type there are, as JSON; fails if a digest is missing or wrong.
"""

import json
import sys

from fastwarc.warc import ArchiveIterator


def records(parse_http):
    with open(sys.argv[1], "rb") as file:
        yield from ArchiveIterator(file, parse_http=parse_http)


def main():
    counts = {}
    for record in records(False):
        kind = record.headers["WARC-Type"]
        counts[kind] = counts.get(kind, 0) + 1
        if not record.verify_block_digest():
            sys.exit(f"{record.record_id}: wrong block digest")
    # The payload of a message is behind its head; that of other records is the block.
    for record in records(True):
        if record.headers["WARC-Type"] in ("request", "response") and not record.verify_payload_digest():
            sys.exit(f"{record.record_id}: wrong payload digest")
    print(json.dumps(counts))


if __name__ == "__main__":
    main()
