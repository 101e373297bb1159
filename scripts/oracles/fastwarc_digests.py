#!/usr/bin/env python3
"""Reads a WARC file with FastWARC, a reader that we did not write, and checks every digest.

Usage: fastwarc_digests.py FILE

Prints how many records of each type there are, as JSON; fails if a digest is missing or wrong.
"""

import json
import sys

from fastwarc.warc import ArchiveIterator


def main():
    counts = {}
    with open(sys.argv[1], "rb") as file:
        for record in ArchiveIterator(file, parse_http=False):
            kind = record.headers["WARC-Type"]
            counts[kind] = counts.get(kind, 0) + 1
            if not record.verify_block_digest():
                sys.exit(f"{record.record_id}: wrong block digest")
            if kind in ("response", "resource"):
                if kind == "response":
                    record.parse_http()
                if not record.verify_payload_digest():
                    sys.exit(f"{record.record_id}: wrong payload digest")
    print(json.dumps(counts))


if __name__ == "__main__":
    main()
