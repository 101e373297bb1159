#!/usr/bin/env python3
"""How fast warcio writes and reads an archive of files, on one core.

Usage: warcio_speed.py LIST OUT ROUNDS

LIST names a file a line. Each becomes a response record of OUT, with digests. Prints the least CPU seconds
of all rounds for writing, for reading, and for reading with digests checked, as JSON.
"""

import json
import sys
import time
from io import BytesIO

from warcio.archiveiterator import ArchiveIterator
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

HEADERS = [("Content-Type", "text/html; charset=utf-8")]


def write(pages, out):
    with open(out, "wb") as file:
        writer = WARCWriter(file, gzip=True, warc_version="WARC/1.1")
        for number, page in enumerate(pages):
            head = StatusAndHeaders("200 OK", HEADERS, protocol="HTTP/1.1")
            url = f"https://site.example/{number}"
            record = writer.create_warc_record(url, "response", payload=BytesIO(page), http_headers=head,
                                               warc_headers_dict={"WARC-Date": "2026-01-31T12:00:00Z"})
            writer.write_record(record)


def read(path, check):
    size = 0
    with open(path, "rb") as file:
        for record in ArchiveIterator(file, check_digests=check):
            size += len(record.content_stream().read())
    return size


def least(rounds, work):
    times = []
    for _ in range(rounds):
        begun = time.process_time()
        work()
        times.append(time.process_time() - begun)
    return min(times)


def main():
    with open(sys.argv[1]) as names:
        pages = [open(name.rstrip("\n"), "rb").read() for name in names]
    out, rounds = sys.argv[2], int(sys.argv[3])
    print(json.dumps({
        "write_s": least(rounds, lambda: write(pages, out)),
        "read_s": least(rounds, lambda: read(out, False)),
        "checked_s": least(rounds, lambda: read(out, True)),
    }))


if __name__ == "__main__":
    main()
