"""A ladder: the TOML file that describes a program's versions and exercises, and the gaps in a solution's source."""
import itertools
import pathlib
import re
import tomllib

from lesson import BUNDLED, Failure
from lesson.pages import duration, size

ORDER = ["heat", "jacobi", "product", "clauses"]

# The keys of a ladder with their types, and those that it must have.
KEYS = {
    "": {"title": str, "about": str, "minutes": int, "goals": list, "compiler": str, "flags": str, "build": str, "source": str,
         "arguments": list, "ignore": str, "same": bool, "version": list, "exercise": list, "fix": dict},
    "version": {"name": str, "source": str, "arguments": list, "about": str, "question": str, "answer": str, "gap": str},
    "exercise": {"name": str, "start": str, "solution": str, "arguments": list, "also": list, "task": str,
                 "hints": list, "fail_if": list, "check": bool},
    "fix": {"version": str, "by_hand": str, "question": str, "answer": str},
}
NEEDED = {"": ["title"], "version": ["name"], "exercise": ["name", "solution", "task"], "fix": ["version"]}
KINDS = {str: "a string", int: "a number", list: "a list", dict: "a table", bool: "true or false"}

# The units that `ompdm report --fail-if` knows.
UNITS = {"": 1, "B": 1, "KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30,
         "TiB": 1 << 40, "ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9, "min": 60e9}
# What has to be where a gate of this operator does not hold.
OPPOSITES = {">": "at most", "<": "at least", ">=": "less than", "<=": "more than", "==": "not", "!=": "exactly"}


def checked(table, kind, path, where):
    """The table, if it has the keys of its kind only, of the right types, and all that it must have."""
    for key, value in table.items():
        if key not in KEYS[kind]:
            raise Failure(f"{path}: {where}: there is no key '{key}': it is one of {', '.join(KEYS[kind])}")
        if not isinstance(value, KEYS[kind][key]):
            raise Failure(f"{path}: {where}: {key} has to be {KINDS[KEYS[kind][key]]}")
    for key in NEEDED[kind]:
        if key not in table:
            raise Failure(f"{path}: {where}: {key} is missing")
    return table


class Gate:
    """A condition that fails a grade: "HtoD.bytes > 4MB"."""

    def __init__(self, text):
        self.text = str(text).strip()
        found = re.fullmatch(r"\s*(.+?)\s*(<=|>=|==|!=|<|>)\s*(\d+(?:\.\d*)?(?:e\d+)?)\s*([A-Za-z]*)\s*", self.text)
        if not found or found[4] not in UNITS:
            raise Failure(f"fail_if: '{text}': write a figure, an operator and a number, as in 'HtoD.bytes > 4MB'")
        self.figure, self.operator, self.limit = found[1], found[2], float(found[3]) * UNITS[found[4]]

    def is_named_in(self, line):
        """Whether a line of `ompdm report --fail-if` is on this gate."""
        return line.startswith((f"{self.text} holds: ", f"--fail-if '{self.text}'", f"'{self.figure}'"))

    def criterion(self):
        """What has to hold: "HtoD.bytes is at most 4 MB"."""
        return f"{self.figure} is {OPPOSITES[self.operator]} {self.spoken(self.limit)}"

    def failure(self, value):
        """What is said of a value that fails: "HtoD.bytes is 40 MB, the limit is 4 MB"."""
        texts = [self.spoken(value), self.spoken(self.limit)]
        if texts[0] == texts[1]:
            texts = [f"{number:.12g}" for number in (value, self.limit)]
        return f"{self.figure} is {texts[0]}, the limit is {texts[1]}"

    def spoken(self, number):
        """A number of the figure, with its unit."""
        if self.figure.endswith("bytes") or self.figure.startswith("memory."):
            return size(number)
        return duration(number) if self.figure.endswith("_ns") else f"{number:.12g}"


class Ladder:
    """A ladder as its TOML file describes it; `folder` holds its sources."""

    def __init__(self, word):
        self.path = self.find(word)
        self.folder = self.path.parent
        self.name = self.folder.name if self.path.name == "ladder.toml" else self.path.stem
        try:
            table = tomllib.loads(self.path.read_text())
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise Failure(f"{self.path}: {error}") from None
        self.table = checked(table, "", self.path, "the ladder")
        self.versions = [checked(row, "version", self.path, f"version {n}") for n, row in enumerate(table.get("version", []), 1)]
        self.exercises = [checked(row, "exercise", self.path, f"exercise {n}") for n, row in enumerate(table.get("exercise", []), 1)]
        self.fix = checked(table["fix"], "fix", self.path, "fix") if "fix" in table else None
        for row in self.versions + self.exercises:
            if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", row["name"]):
                raise Failure(f"{self.path}: name '{row['name']}': it names files: letters, digits, '.', '_' and '-' only")
        for rows in (self.versions, self.exercises):
            names = [row["name"] for row in rows]
            for name in names:
                if names.count(name) > 1:
                    raise Failure(f"{self.path}: there are several of the name {name}")
        try:
            re.compile(table.get("ignore", ""))
        except re.error as error:
            raise Failure(f"{self.path}: ignore: {error}") from None
        if not self.versions and not self.exercises:
            raise Failure(f"{self.path}: it has neither a [[version]] nor an [[exercise]]")
        for row in self.versions:
            if not self.source_of(row):
                raise Failure(f"{self.path}: version {row['name']}: source is missing")
        for name in {self.source_of(row) for row in self.versions} | {
                row[key] for row in self.exercises for key in ("start", "solution") if key in row}:
            if not (self.folder / name).is_file():
                raise Failure(f"{self.path}: {name} is not a file of {self.folder}")
        for row in self.exercises:
            if not all(isinstance(words, list) for words in row.get("also", [])):
                raise Failure(f"{self.path}: exercise {row['name']}: also has to be a list of lists, one for each further run")
            try:
                self.gates_of(row)
            except Failure as failure:
                raise Failure(f"{self.path}: exercise {row['name']}: {failure}") from None
            if "start" not in row:
                check_gaps(self.folder / row["solution"])
        for version in filter(None, [self.fix and self.fix["version"], self.fix and self.fix.get("by_hand")]):
            if version not in [row["name"] for row in self.versions]:
                raise Failure(f"{self.path}: fix: there is no version {version}")

    @staticmethod
    def find(word):
        path = pathlib.Path(word)
        for known in (path / "ladder.toml", path if path.suffix == ".toml" else None,
                      BUNDLED / f"{word}.toml", BUNDLED / word / "ladder.toml"):
            if known and known.is_file():
                return known.absolute()
        if path.is_dir():
            raise Failure(f"{word}: it has no ladder.toml: `ompdm lesson --new {word}` writes one for its sources")
        raise Failure(f"{word}: no such ladder: name a TOML file, its folder, or one of {', '.join(ORDER)}")

    def source_of(self, row):
        return row.get("source", self.table.get("source"))

    def arguments_of(self, row):
        return [str(word) for word in row.get("arguments", self.table.get("arguments", []))]

    @staticmethod
    def further_arguments_of(row):
        return [[str(word) for word in words] for words in row.get("also", [])]

    @property
    def is_bundled(self):
        return BUNDLED in self.path.parents

    @staticmethod
    def gates_of(row):
        return [Gate(text) for text in row.get("fail_if", [])]

    @staticmethod
    def question_of(row):
        return row.get("question", "What would you change?")

    def same_lines(self, text):
        """The lines of a program's output without those that differ from run to run."""
        ignored = self.table.get("ignore")
        return [line for line in text.splitlines() if not (ignored and re.search(ignored, line))]


def is_alike(one, other):
    """Whether two lines are the same, numbers within a millionth: kernels may add in another order."""
    words, others = one.split(), other.split()
    if len(words) != len(others):
        return False
    for word, its in zip(words, others):
        if word == its:
            continue
        try:
            a, b = float(word.strip(",;:()")), float(its.strip(",;:()"))
        except ValueError:
            return False
        if not abs(a - b) <= 1e-6 * max(abs(a), abs(b), 1e-3):
            return False
    return True


def first_difference(printed, expected, whose):
    """A sentence on the first line that is not as expected; empty: there is none."""
    for n, (one, other) in enumerate(itertools.zip_longest(printed, expected, fillvalue=""), 1):
        if not is_alike(one, other):
            return f"line {n} is '{one}', and that of {whose} is '{other}'"
    return ""


def check_gaps(path):
    """Throws Failure where a solution has no gap, or a GAP comment no END."""
    if not re.search(r"^\s*// GAP: ", path.read_text(), re.M):
        raise Failure(f"{path}: it has no `// GAP: ` comment, and its exercise has no `start`: students would get the solution")
    opened = 0
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if re.match(r"\s*// GAP: ", line):
            if opened:
                raise Failure(f"{path}:{opened}: this gap has no `// END` before the next one")
            opened = number
        elif re.match(r"\s*// END\s*$", line):
            opened = 0
    if opened:
        raise Failure(f"{path}:{opened}: this gap has no `// END`")


def start_of(solution):
    """An exercise's start: its solution without the lines from each GAP comment to its END."""
    lines, inside = [], False
    for line in solution.splitlines():
        gap = re.match(r"(\s*)// GAP: (.*)", line)
        if gap:
            lines.append(f"{gap[1]}// TODO: {gap[2]}")
            inside = True
        elif re.match(r"\s*// END\s*$", line):
            inside = False
        elif not inside:
            lines.append(line)
    return "\n".join(lines) + "\n"


def without_marks(text):
    """A solution as it is shown: its GAP comments are plain ones."""
    return re.sub(r"^\s*// END\s*\n", "", text, flags=re.M).replace("// GAP: ", "// ")


def write_new(folder):
    """Writes a ladder.toml for the sources of a folder, with a version for each and every text to be filled in."""
    path = folder / "ladder.toml"
    if path.exists():
        raise Failure(f"{path} is there already")
    sources = sorted(file.name for file in folder.iterdir() if file.suffix in (".c", ".cc", ".cpp", ".cxx")) if folder.is_dir() else []
    if not sources:
        raise Failure(f"{folder}: it has no C or C++ source: each version of the program is a source of its own")
    rows = "".join(f"""
[[version]]
name = "{pathlib.Path(name).stem}"
source = "{name}"
about = "TODO: the difference to the version before."
question = "TODO: a question that the report of this version answers."
answer = "TODO: the answer, and its reason."
""" for name in sources)
    path.write_text(f"""# A ladder: versions of a program, from naive to optimized. `ompdm lesson {folder}` makes a lesson of it.
title = "{folder.resolve().name}"
about = "TODO: what the program computes, and for how much data."
minutes = 30
goals = ["TODO: what a reader can do afterwards."]
# compiler = "clang++ -O2 -g -fopenmp --offload-arch=sm_90" # without it: a clang++, for host devices
flags = ""                 # of the compiler: "-std=c++20 -lm"
arguments = []             # of the program: ["1000", "10"]
# ignore = "time"          # a regular expression: lines of the output that differ from run to run
# build = "make {{program}}" # if a source is built otherwise: {{source}} and {{program}}, its name without ending, are replaced
{rows}
# [[exercise]]             # its start is the solution without the lines between `// GAP: hint` and `// END`
# name = "{pathlib.Path(sources[-1]).stem}"
# solution = "{sources[-1]}"
# task = "TODO: what a student has to change."
# also = [["101", "3"]]    # arguments of further runs, whose output has to be right too
# fail_if = ["HtoD.count > 2", "HtoD.bytes < 8KB", "kernel.count < 10"]
""")
    print(f"lesson: wrote {path}: put its versions in order, fill in the texts, then: ompdm lesson {folder}")
