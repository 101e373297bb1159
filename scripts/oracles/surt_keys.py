#!/usr/bin/env python3
"""The lookup keys of addresses (a line each on stdin) by the surt package, which we did not write."""

import sys

import surt

for line in sys.stdin:
    print(surt.surt(line.rstrip("\n")))
