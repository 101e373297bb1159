#!/usr/bin/env python3
"""The element tree of HTML files by html5lib, a parser that we did not write.

Usage: html5lib_elements.py FILE...

Reads UTF-8 files (decoded already: this compares parsers, not charset detection) and writes beside
each a FILE.elements: its elements in document order, a line each, as depth and local name.
`bathys bench tree` compares them with those of our parser.

html5lib 1.1 follows HTML as of 2020. It does not know declarative shadow roots, so the comparison
counts a shadow root as the <template> element that it was written as.
"""

import sys

import html5lib


def elements(root):
    """Depth and local name of every element, without recursion."""
    stack = [(root, 0)]
    while stack:
        node, depth = stack.pop()
        if isinstance(node.tag, str):  # comments have a function there
            yield f"{depth} {node.tag.rsplit('}', 1)[-1]}\n"
            depth += 1
        stack.extend((child, depth) for child in reversed(list(node)))


def main():
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8", newline="") as file:
            text = file.read()
        tree = html5lib.HTMLParser(tree=html5lib.getTreeBuilder("etree")).parse(text, scripting=True)
        with open(path + ".elements", "w", encoding="utf-8") as out:
            out.writelines(elements(tree))


if __name__ == "__main__":
    main()
