#!/usr/bin/env python3
"""How much records depend on the constants they were written with, and what others would have chosen.

    nice scripts/constants/measure.py FORUMS [--each] [--more FOLDER]... [--scratch FOLDER] > TABLE

FORUMS holds the forums of known truth, a folder each, as `bathys bench records --data` reads them. Constants
are the named numbers of crates/page/src/record, and the fractions that stand in its formulas.

First all constants are drawn at once, each at random: near what they are (0.8, 1 or 1.25 times), and far (from
0.5 to 2 times). For each engine in turn, the draw that is best on the other engines is chosen; of those that
are equally good, the worst on the engine left out counts. Pages of real forums are left out of every choice.

With --each, every constant by itself is set to 0.5, 0.8, 1.25 and 2 times its value, and chosen in the same
way: by itself, and with all others at once. Constants that change no record of FORUMS, nor of the sets in the
folders after --more, are listed. That takes hours; answers are kept in the scratch folder, so that it can be
stopped and goes on where it was.

Needs Rust; nothing else is installed. A copy of the crate is changed and built in the scratch folder.
"""

import argparse
import hashlib
import json
import pathlib
import random
import re
import shutil
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BENCH = ROOT / "crates/bathys/src/bench/records"
FACTORS = (0.5, 0.8, 1.25, 2.0)
NEAR = (0.8, 1.0, 1.25)
FAR = (0.5, 0.8, 1.0, 1.25, 2.0)
DRAWS = 20
# Units, versions of formats and bits are no choices; MDR is only there to be compared with.
NO_CHOICE = {"HOUR", "DAY", "FORMAT"}
LEFT_ALONE = {"mdr.rs"}
TREE_FILES = ["tree/unscripted.rs"]
# Bounds of shares and the two sides of a mean.
PLAIN = {"0.0", "1.0", "2.0"}

NAMED = re.compile(r"^( *)((?:pub(?:\([a-z]+\))? )?)const ([A-Z][A-Z0-9_]*): (f64|usize|u64|u32|i64) = "
                   r"([0-9][0-9_]*(?:\.[0-9]+)?);", re.M)
FRACTION = re.compile(r"(?<![\w.])([0-9]+\.[0-9]+)(?![\w.])")
CODE = re.compile(r'//[^\n]*|"(?:\\.|[^"\\])*"|^use [^;]*;|^pub(?:\([a-z]+\))? use [^;]*;', re.M | re.S)

TUNED = """//! Constants that can be set.
use std::sync::atomic::{{AtomicU64, Ordering::Relaxed}};
const BEFORE: [f64; {count}] = [{values}];
static NOW: [AtomicU64; {count}] = [const {{ AtomicU64::new(u64::MAX) }}; {count}];
/// A constant.
pub fn real(at: usize) -> f64 {{
    match NOW[at].load(Relaxed) {{ u64::MAX => BEFORE[at], bits => f64::from_bits(bits) }}
}}
/// Sets one.
pub fn set(at: usize, value: f64) {{ NOW[at].store(value.to_bits(), Relaxed); }}
/// Sets all to what they were.
pub fn reset() {{ NOW.iter().for_each(|now| now.store(u64::MAX, Relaxed)); }}
"""

MANIFEST = """[package]
name = "trial"
version = "0.0.0"
edition = "2024"
[workspace]
members = ["page"]
[workspace.package]
{package}
[workspace.dependencies]
{dependencies}
[workspace.lints.rust]
[dependencies]
bathys-page = {{ path = "page" }}
anyhow.workspace = true
jiff.workspace = true
serde.workspace = true
serde_json.workspace = true
unicode-normalization.workspace = true
url.workspace = true
[profile.release]
debug = "line-tables-only"
"""


class Constant:
    """A number of the code, and what else it might be."""

    def __init__(self, number, name, kind, text):
        self.number, self.name, self.kind, self.text = number, name, kind, text
        self.before = float(text.replace("_", ""))
        self.values = sorted({self.times(factor) for factor in FACTORS} - {self.before})
        self.farthest = [self.values[0], self.values[-1]] if len(self.values) > 1 else self.values
        self.figures = {}

    def times(self, factor):
        if self.kind == "f64":
            return self.before * factor
        if factor == 1:
            return self.before
        step = round(self.before * factor) - self.before
        return max(1.0, self.before + (step or (1 if factor > 1 else -1)))


def outside(text, change):
    """Changes what is code, not what is a comment, a text or an import."""
    parts, at = [], 0
    for match in CODE.finditer(text):
        parts += [change(text[at:match.start()]), match.group()]
        at = match.end()
    return "".join(parts + [change(text[at:])])


def is_needed_early(name, text):
    """Whether a name is the length of an array, part of another constant or of a pattern."""
    return re.search(rf"; {name}\]|const [A-Z_]+: [^;]*= [^;]*\b{name}\b|\b{name}\b (?:=>|\|)", text)


def changed(source):
    """Makes every constant of a copy of the crate one that can be set; says which there are."""
    constants, files, shared = [], {}, {}
    for path in [*sorted((source / "record").rglob("*.rs")), *(source / name for name in TREE_FILES)]:
        if path.stem == "tests" or "tests" in path.parts or path.name in LEFT_ALONE:
            continue
        text, *tests = re.split(r"(?m)^(?=#\[cfg\(test\)\]\nmod tests \{)", path.read_text(), maxsplit=1)
        files[path] = text, "".join(tests)
    for path, (text, tests) in files.items():
        place = path.relative_to(source).with_suffix("").as_posix()
        own = []

        def function(match):
            indent, public, name, kind, value = match.groups()
            if name in NO_CHOICE or is_needed_early(name, text.replace(match.group(), "")):
                return match.group()
            constant = Constant(len(constants), f"{place} {name}", kind, value)
            constants.append(constant)
            (shared if public else {}).update({name: path})
            own.append(name)
            return (f"{indent}#[allow(non_snake_case, missing_docs)] {public}fn {name}() -> {kind} "
                    f"{{ crate::tuned::real({constant.number}) as {kind} }}")

        def fraction(match):
            value = match.group()
            if value in PLAIN:
                return value
            seen = sum(1 for known in constants if known.name.startswith(f"{place} #"))
            constant = Constant(len(constants), f"{place} #{seen + 1} ({value})", "f64", value)
            constants.append(constant)
            return f"crate::tuned::real({constant.number})"

        def fractions(code):
            lines = code.split("\n")
            return "\n".join(line if re.search(r"\b(const|static)\b", line) else FRACTION.sub(fraction, line)
                             for line in lines)

        made = NAMED.sub(function, text)
        made = outside(made, lambda code: called(code, own))
        files[path] = outside(made, fractions), tests
    for path, (text, tests) in files.items():
        names = [name for name, home in shared.items() if home != path and re.search(rf"\b{name}\b", text)
                 and not re.search(rf"(?:const|fn) {name}\b", text)]
        # Tests may name constants, and are not built here.
        path.write_text(outside(text, lambda code: called(code, names)))
    values = ", ".join(repr(constant.before) for constant in constants)
    (source / "tuned.rs").write_text(TUNED.format(count=len(constants), values=values))
    root = source / "lib.rs"
    root.write_text(root.read_text() + "\n#[allow(missing_docs)]\npub mod tuned;\n")
    return constants


def called(code, names):
    for name in names:
        code = re.sub(rf"(?<!fn )\b{name}\b(?!\()", f"{name}()", code)
    return code


def section(text, name):
    return re.search(rf"(?ms)^\[{re.escape(name)}\]\n(.*?)(?=^\[|\Z)", text).group(1)


def digest():
    """What the trial is made of."""
    sum = hashlib.sha256()
    here = pathlib.Path(__file__).parent
    for path in sorted([*(ROOT / "crates/page/src").rglob("*.*"), *BENCH.glob("*.rs"), here / "trial.rs"]):
        sum.update(path.read_bytes())
    return sum.hexdigest()


def built(scratch):
    """Builds the trial on a copy of the crate, unless it is there."""
    known = scratch / "built.json"
    if known.exists() and (of := json.loads(known.read_text()))["digest"] == digest():
        return [Constant(*constant) for constant in of["constants"]], of["program"]
    (scratch / "answers.jsonl").unlink(missing_ok=True)
    for name in ("page", "src"):
        shutil.rmtree(scratch / name, ignore_errors=True)
    shutil.copytree(ROOT / "crates/page", scratch / "page", ignore=shutil.ignore_patterns("tests", "examples"))
    shutil.copy(ROOT / "Cargo.lock", scratch)
    manifest = (ROOT / "Cargo.toml").read_text()
    dependencies = re.sub(r"(?m)^bathys-.*\n", "", section(manifest, "workspace.dependencies"))
    package = section(manifest, "workspace.package")
    (scratch / "Cargo.toml").write_text(MANIFEST.format(package=package, dependencies=dependencies))
    (scratch / "src").mkdir()
    shutil.copy(pathlib.Path(__file__).parent / "trial.rs", scratch / "src/main.rs")
    for name in ("bag", "found", "judge", "score", "set", "time"):
        shutil.copy(BENCH / f"{name}.rs", scratch / "src")
    constants = changed(scratch / "page/src")
    command = ["cargo", "build", "--release", "--quiet", "--message-format=json-render-diagnostics"]
    said = subprocess.run(command, cwd=scratch, stdout=subprocess.PIPE, text=True)
    programs = [line["executable"] for line in map(json.loads, said.stdout.splitlines()) if line.get("executable")]
    if said.returncode or not programs:
        sys.exit("the copy with constants that can be set does not build")
    made = [[constant.number, constant.name, constant.kind, constant.text] for constant in constants]
    known.write_text(json.dumps({"digest": digest(), "program": programs[-1], "constants": made}))
    return constants, programs[-1]


class Trial:
    """The program, waiting for settings, and what it has answered."""

    def __init__(self, program, folders, kept):
        self.runs, self.kept = 0, kept
        self.command = [program, *map(str, folders)]
        self.process = None
        lines = kept.read_text().splitlines() if kept.exists() else []
        self.known = dict(map(json.loads, lines))

    def ask(self, word, setting):
        words = [word, *(f"{constant.number}={value!r}" for constant, value in setting)]
        question = " ".join(words)
        key = json.dumps([self.command[1:], question])
        if key not in self.known:
            self.known[key] = self.answer(question)
            with self.kept.open("a") as file:
                file.write(json.dumps([key, self.known[key]]) + "\n")
        return self.known[key]

    def answer(self, question):
        if self.process is None:
            self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                            stderr=subprocess.DEVNULL, text=True)
        self.process.stdin.write(question + "\n")
        self.process.stdin.flush()
        self.runs += 1
        answer = self.process.stdout.readline()
        if not answer:
            sys.exit("the trial ended; does every folder hold a truth.json?")
        return json.loads(answer)

    def differs(self, setting):
        return bool(self.ask("any", setting)["differ"])

    def figures(self, setting):
        return self.ask("all", setting)["figures"]


def matter(trial, settings):
    """Which of some settings change a record: halves of those that do together are tried."""
    if not settings or not trial.differs(settings):
        return []
    if len(settings) == 1:
        return settings
    half = len(settings) // 2
    return matter(trial, settings[:half]) + matter(trial, settings[half:])


def mean(figures, engine):
    """The mean of an engine's figures over its views, as far as rounding lets one tell."""
    views = [value for name, all in figures.items() if name.split("/")[0] == engine for value in all.values()]
    return round(statistics.mean(views), 6)


def told(figures, engine):
    """An engine's figures over its views, the worse of both."""
    views = [all for name, all in figures.items() if name.split("/")[0] == engine]
    return {name: min(view[name] for view in views if name in view) for name in sorted(set().union(*views))}


def by_file(constants):
    groups = {}
    for constant in constants:
        groups.setdefault(constant.name.split()[0], []).append(constant)
    return groups.values()


def on(figures, engines):
    return round(statistics.mean(mean(figures, engine) for engine in engines), 6)


def folds(engines, real):
    """Who is left out, and who chooses."""
    for left_out in [*engines, *real]:
        yield left_out, [engine for engine in engines if engine != left_out]


def worst_of_best(options, judges, left_out):
    """Of the figures that are best on the judges the worst on what is left out, and how many are as good."""
    best = max(on(figures, judges) for figures in options)
    tied = [figures for figures in options if on(figures, judges) == best]
    return min(tied, key=lambda figures: mean(figures, left_out)), len(tied)


def drawn(trial, constants, base, engines, real):
    """All constants at once, at random."""
    for what, factors in (("near", NEAR), ("far", FAR)):
        dice, all = random.Random(1), []
        for number in range(DRAWS):
            setting = [(constant, constant.times(dice.choice(factors))) for constant in constants]
            all.append(trial.figures([(constant, value) for constant, value in setting if value != constant.before]))
            print(f"  draw {number + 1} of {DRAWS}, {what}", file=sys.stderr, flush=True)
        print(f"\nAll {len(constants)} constants at once, {DRAWS} draws of {', '.join(map(str, factors))} times")
        for engine in [*engines, *real]:
            reached = sorted(mean(figures, engine) for figures in all)
            print(f"  {engine:10} as it is {mean(base, engine):.4f}  worst {reached[0]:.4f}  "
                  f"median {statistics.median(reached):.4f}  best {reached[-1]:.4f}")
        for left_out, judges in folds(engines, real):
            figures, tied = worst_of_best(all, judges, left_out)
            print(f"  {left_out} left out: {tied} best on {', '.join(judges)} with {on(figures, judges):.4f}")
            show("worst of these", figures, left_out)
        sys.stdout.flush()


def chosen(trial, weighty, base, engines, real):
    """Each constant chosen by itself, then all of them together."""
    for left_out, judges in folds(engines, real):
        print(f"\n{left_out} left out (chosen on {', '.join(judges)})")
        lost, least, together, elsewhere = [], base, [], []
        for constant in weighty:
            options = {constant.before: base, **constant.figures}
            figures, _ = worst_of_best(list(options.values()), judges, left_out)
            value = next(value for value, of in options.items() if of is figures)
            if mean(figures, left_out) < mean(base, left_out):
                lost.append((mean(figures, left_out), constant, value))
            least = min(least, figures, key=lambda of: mean(of, left_out))
            together.append((constant, value))
            elsewhere.append(on(figures, judges))
        show("as it is", base, left_out)
        show("one at a time, worst tie", least, left_out)
        for reached, constant, value in sorted(lost, key=lambda of: of[0]):
            print(f"      {constant.name} = {value:g} (is {constant.text}): {reached:.4f}")
        figures = trial.figures([(constant, value) for constant, value in together if value != constant.before])
        show("all together, worst ties", figures, left_out)
        print(f"      which is {on(figures, judges):.4f} on the others, and was chosen for "
              f"{statistics.mean(elsewhere) if elsewhere else 1:.4f}")
        sys.stdout.flush()


def show(what, figures, engine):
    print(f"  {what:25} mean {mean(figures, engine):.4f}  "
          + "  ".join(f"{name} {value:.3f}" for name, value in told(figures, engine).items()))


def each(trial, constants, base, engines, real):
    """Tries every constant by itself; says which change nothing."""
    idle = []
    for group in by_file(constants):
        far = {constant: set() for constant in group}
        for end in (0, -1):
            for constant, value in matter(trial, [(constant, constant.farthest[end]) for constant in group]):
                far[constant].add(value)
        for constant, values in far.items():
            if not values:
                idle.append(constant)
            for value in values:
                constant.figures[value] = trial.figures([(constant, value)])
            if any(figures != base for figures in constant.figures.values()):
                for value in constant.values:
                    if value not in constant.figures:
                        constant.figures[value] = trial.figures([(constant, value)])
        print(f"  {group[0].name.split()[0]}: {sum(map(bool, far.values()))} of {len(group)} change a record; "
              f"{trial.runs} runs", file=sys.stderr, flush=True)
    weighty = [constant for constant in constants if any(of != base for of in constant.figures.values())]
    print(f"\nEach by itself: {len(constants) - len(idle)} of {len(constants)} change a record at half or twice "
          f"their value, {len(weighty)} a figure:")
    for constant in weighty:
        reached = "  ".join(f"{value:g}: " + " ".join(f"{engine} {mean(figures, engine):.4f}"
                                                      for engine in [*engines, *real])
                            for value, figures in sorted(constant.figures.items()))
        print(f"  {constant.name} = {constant.text}  {reached}")
    chosen(trial, weighty, base, engines, real)
    return idle


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("forums", type=pathlib.Path)
    arguments.add_argument("--each", action="store_true")
    arguments.add_argument("--more", type=pathlib.Path, action="append", default=[])
    arguments.add_argument("--scratch", type=pathlib.Path, default=ROOT / "target/constants")
    given = arguments.parse_args()
    scratch = given.scratch.resolve()
    scratch.mkdir(parents=True, exist_ok=True)
    constants, program = built(scratch)
    sets = lambda folder: sorted(path.parent for path in folder.resolve().glob("*/truth.json"))
    trial = Trial(program, sets(given.forums), scratch / "answers.jsonl")
    base = trial.figures([])
    engines = sorted({name.split("/")[0] for name, all in base.items() if "macro" not in all})
    real = sorted({name.split("/")[0] for name in base} - set(engines))
    drawn(trial, constants, base, engines, real)
    if not given.each:
        return
    idle = each(trial, constants, base, engines, real)
    if given.more:
        folders = [path for folder in given.more for path in sets(folder)]
        more = Trial(program, folders, scratch / "answers.jsonl")
        used = []
        for group in by_file(idle):
            for end in (0, -1):
                used += [constant for constant, _ in
                         matter(more, [(constant, constant.farthest[end]) for constant in group])]
        idle = [constant for constant in idle if constant not in used]
    print(f"\n{len(idle)} change no record of any set at half or twice their value:")
    for constant in idle:
        print(f"  {constant.name} = {constant.text}")


if __name__ == "__main__":
    main()
