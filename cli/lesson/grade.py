"""Grades an exercise: builds and runs a student's source in the place of the solution, and tests each criterion."""
import pathlib
import shutil
import subprocess
import tempfile
import time

from lesson import Failure
from lesson.programs import Workshop, bounded, how_it_ended

MOST_LINES = 30  # of the reason for a criterion
FAILED = 3  # the exit status of a grade that is not passed, as that of `ompdm report --fail-if`


class Grade:
    """Counts criteria, and prints each with its verdict."""

    def __init__(self):
        self.passed = self.all = 0

    def add(self, passed, text, detail=""):
        self.all += 1
        self.passed += passed
        print(f"  {'passed' if passed else 'FAILED'}  {text}", flush=True)
        if not passed and detail:
            lines = detail.rstrip().splitlines()
            more = ["…"] if len(lines) > MOST_LINES else []
            print("".join(f"          {line}\n" for line in lines[:MOST_LINES] + more), end="", flush=True)
        return passed


def spoken_gate(gate):
    """"HtoD.count is at most 2" of the gate "HtoD.count > 2"."""
    for operator, words in ((">=", "less than"), ("<=", "more than"), (">", "at most"), ("<", "at least")):
        figure, found, limit = gate.partition(operator)
        if found:
            return f"{figure.strip()} is {words} {limit.strip()}"
    return f"not {gate}"


class Run:
    """A program as it was recorded and asked."""

    def __init__(self, workshop, program, arguments, options, seconds):
        self.options, self.folder, self.trace = options, workshop.folder, workshop.folder / "trace.json"
        self.status, out, self.err = bounded([options.ompdm, "record", "-o", self.trace, "--", program, *arguments],
                                             workshop.folder, seconds)
        self.printed = workshop.ladder.same_lines(out)

    def fails(self, gate):
        """The sentence of a gate that holds; empty: it does not."""
        told = subprocess.run([self.options.ompdm, "report", "--fail-if", gate, self.trace], text=True, capture_output=True)
        if told.returncode == 0:
            return ""
        return told.stderr.strip().splitlines()[-1].replace("ompdm: ", "").replace(f"{self.trace}", "trace.json")


def grade(ladder, exercise, options):
    """Builds and runs a student's source in the place of the solution, and prints each criterion. Returns the exit status."""
    if not options.grade.is_file():
        raise Failure(f"{options.grade}: no such file")
    print(f"{ladder.name}/{exercise['name']}: {options.grade}", flush=True)
    verdict, arguments, gates = Grade(), ladder.arguments_of(exercise), exercise.get("fail_if", [])
    with tempfile.TemporaryDirectory() as scratch:
        own = Workshop(ladder, pathlib.Path(scratch) / "solution", options.compiler)
        began = time.monotonic()
        solution = Run(own, own.build(exercise["solution"]), arguments, options, 600)
        seconds = round(20 + 10 * (time.monotonic() - began))
        if solution.status != 0:
            raise Failure(f"{exercise['solution']}: the solution itself: {how_it_ended(solution.status, 600)}\n{solution.err}".rstrip())
        for gate in gates:
            if told := solution.fails(gate):
                raise Failure(f"{exercise['solution']}: the solution itself fails the gate '{gate}': {told}")
        workshop = Workshop(ladder, pathlib.Path(scratch) / "graded", options.compiler)
        place = workshop.folder / exercise["solution"]
        shutil.copy(options.grade, place)
        clean = lambda text: text.replace(f"{workshop.folder}/", "").replace(exercise["solution"], options.grade.name)
        try:
            program = workshop.build(exercise["solution"])
        except Failure as failure:
            verdict.add(False, "it builds", clean(str(failure)))
            return finish(verdict)
        verdict.add(True, "it builds")
        run = Run(workshop, program, arguments, options, seconds)
        if run.status != 0:
            told = "".join(f"{line}\n" for line in clean(run.err).splitlines() if not line.startswith(("ompdm: wrote", "ompdm: next")))
            verdict.add(False, "it runs to its end", f"{how_it_ended(run.status, seconds)}\n{told}")
            return finish(verdict)
        difference = first_difference(run.printed, solution.printed)
        verdict.add(not difference, "it prints the solution's results", difference)
        if not run.trace.exists():
            verdict.add(False, "a target region runs on the device", "no directive ran there: is there a target directive?")
            return finish(verdict)
        for gate in gates:
            told = run.fails(gate)
            verdict.add(not told, spoken_gate(gate), told)
        if exercise.get("check", True):
            status, out, err = bounded([options.ompdm, "check", program, *arguments], workshop.folder, 10 * seconds)
            verdict.add(status == 0, "ompdm check finds nothing",
                        clean(out + err) if status is not None else how_it_ended(status, 10 * seconds))
    return finish(verdict)


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
        if abs(a - b) > 1e-6 * max(abs(a), abs(b), 1e-3):
            return False
    return True


def first_difference(printed, expected):
    for n, (one, other) in enumerate(zip(printed + [""] * len(expected), expected + [""] * len(printed)), 1):
        if not is_alike(one, other):
            return f"line {n} is '{one}', and the solution's is '{other}'"
    return ""


def finish(verdict):
    passes = verdict.passed == verdict.all
    failed = verdict.all - verdict.passed
    print(f"passed: all {verdict.all}" if passes else f"failed: {failed} of {verdict.all}")
    return 0 if passes else FAILED
