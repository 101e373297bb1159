"""Fails when a dependency's licence cannot be met by a program that is MIT OR Apache-2.0."""
import json
import re
import subprocess
import sys

ALLOWED = {
    "MIT", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "BSD-2-Clause", "BSD-3-Clause", "ISC",
    "Zlib", "Unicode-3.0", "0BSD", "CC0-1.0", "Unlicense", "MIT-0", "BSL-1.0", "MPL-2.0",
    "CDLA-Permissive-2.0",
}


def allowed(expression):
    """An SPDX expression holds when its AND parts hold; an OR needs one side."""
    text = expression.replace("/", " OR ")
    names = sorted(set(re.findall(r"[A-Za-z0-9.+-]+(?: WITH [A-Za-z0-9.-]+)?", text)) - {"AND", "OR"},
                   key=len, reverse=True)
    for name in names:
        text = re.sub(rf"(?<![\w.-]){re.escape(name)}(?![\w.-])", str(name in ALLOWED), text)
    return eval(text.replace("AND", "and").replace("OR", "or"))  # only True, False, and, or, ( )


packages = json.loads(subprocess.check_output(["cargo", "metadata", "--format-version", "1", "--locked"]))
bad = [f"{p['name']} {p['version']}: {p['license'] or 'no licence named'}"
       for p in packages["packages"] if not (p["license"] and allowed(p["license"]))]
if bad:
    sys.exit("licences that this project cannot use:\n  " + "\n  ".join(bad))
