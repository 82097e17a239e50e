"""The exercises of a ladder: what is shown of them, what is handed out, and how a student's source is graded."""
import html
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile
import time

from lesson import Failure
from lesson.ladder import first_difference, start_of, without_marks
from lesson.pages import code, listing, paragraph
from lesson.programs import Workshop, bounded, build_line, how_it_ended

MOST_LINES = 30  # of the reason for a criterion
FAILED = 3  # the exit status of a grade that is not passed, as that of `ompdm report --fail-if`


def exercise_of(ladders, options):
    """The ladder and its exercise that the user means."""
    found = [(ladder, row) for ladder in ladders for row in ladder.exercises
             if options.exercise in (None, row["name"])]
    names = ", ".join(row["name"] for ladder in ladders for row in ladder.exercises)
    if not found:
        raise Failure(f"no such exercise: it is one of {names}" if names else f"{ladders[0].path}: it has no exercise")
    if len(found) > 1:
        raise Failure(f"there are several exercises: name one with --exercise: {names}")
    return found[0]


def ladder_word(ladder):
    """The ladder as a user types it, in any folder."""
    if ladder.is_bundled:
        return ladder.name
    return str(ladder.folder if ladder.path.name == "ladder.toml" else ladder.path)


def lesson_command(ladder, exercise, options):
    """The begin of a command of the exercise, before --start or --grade."""
    words = ["ompdm", "lesson", ladder_word(ladder)]
    if len(ladder.exercises) > 1:
        words += ["--exercise", exercise["name"]]
    if options.compiler:
        words += ["--compiler", options.compiler]
    return shlex.join(words)


def commands(ladder, exercise, options, for_students):
    """The commands that build a student's source, run it and grade it."""
    name, source = exercise["name"], source_of(exercise)
    run = shlex.join([f"./{name}", *ladder.arguments_of(exercise)])
    lines = [build_line(ladder, source, name, options.compiler, for_students and not options.start)]
    if exercise.get("check", True):
        lines.append(f"ompdm check {run}")
    lines += [f"ompdm record -- {run}", "ompdm report trace.json"]
    # Students do not have a ladder that did not come with ompdm.
    if ladder.is_bundled or not for_students:
        lines.append(f"{lesson_command(ladder, exercise, options)} --grade {shlex.quote(source)}")
    return lines


def source_of(exercise):
    """The name of the student's source."""
    return exercise["name"] + pathlib.Path(exercise["solution"]).suffix


def start_text(ladder, exercise):
    if "start" in exercise:
        return (ladder.folder / exercise["start"]).read_text()
    return start_of((ladder.folder / exercise["solution"]).read_text())


def exercise_part(ladder, exercise, options, folder, for_students):
    """The exercise with its start, its hints and its solution, which are folded. Students get files instead of a solution."""
    hints = exercise.get("hints", [])
    if for_students:
        inner = f"exercise-{ladder.name}-{exercise['name']}"
        names = write_files(ladder, exercise, folder / inner, options)
        links = ", ".join(f'<a href="{html.escape(inner)}/{html.escape(name)}">{html.escape(name)}</a>' for name in names)
        before, lines, solution = f"<p>The files to begin with: {links}</p>", [], ""
    else:
        before, lines = "", [f"{lesson_command(ladder, exercise, options)} --start exercise", "cd exercise"]
        text = without_marks((ladder.folder / exercise["solution"]).read_text())
        solution = f"<details><summary>A solution</summary>{code(text)}</details>"
    typed = "\n".join(lines + commands(ladder, exercise, options, for_students))
    return f"""<article><h3>Exercise: {html.escape(exercise["name"])}</h3>{paragraph(exercise["task"])}{before}
<pre>{html.escape(typed)}</pre>
<details><summary>The program to begin with</summary>{code(start_text(ladder, exercise))}</details>
{"<details><summary>Hints</summary>" + listing(hints) + "</details>" if hints else ""}{solution}</article>"""


def write_start(ladder, exercise, options):
    names = write_files(ladder, exercise, options.start, options)
    print(f"lesson: wrote {', '.join(str(options.start / name) for name in names)}")
    print(f"lesson: read {options.start / 'TASK.md'}: it has the task and its commands")


def write_files(ladder, exercise, folder, options):
    """Writes an exercise's start, its task and the files beside its solution into a folder. No file that is there is
    replaced. Returns their names."""
    files = {source_of(exercise): start_text(ladder, exercise), "TASK.md": task_page(ladder, exercise, options)}
    for name in files:
        if (folder / name).exists():
            raise Failure(f"{folder / name} is there already: move it away, or name another folder")
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text)
    return [*files, *copy_beside(ladder.folder / exercise["solution"], folder)]


def copy_beside(source, folder):
    """Copies what a source may need from its folder: headers, data, a Makefile. Other sources may tell the answer. Returns
    the names of the files."""
    names = []
    for path in sorted(source.parent.iterdir()):
        tells = re.search(r"\.(c|cc|cpp|cxx|o|toml|json|patch|diff)\b", path.name) or path.name.startswith(".")
        if tells or not path.is_file() or os.access(path, os.X_OK):
            continue
        names.append(path.name)
        if not (folder / path.name).exists():
            shutil.copy(path, folder)
    return names


def task_page(ladder, exercise, options):
    criteria = ["it builds", "it prints the solution's lines (numbers within a millionth)"]
    if "also" in exercise:
        criteria.append("it prints the solution's lines with other arguments, too")
    criteria += [gate.criterion() for gate in ladder.gates_of(exercise)]
    if exercise.get("check", True):
        criteria.append("`ompdm check` finds nothing")
    words = " HtoD means copies to the device, DtoH copies to the host." if "fail_if" in exercise else ""
    hints = "".join(f"- {hint}\n" for hint in exercise.get("hints", []))
    typed = "\n".join(commands(ladder, exercise, options, for_students=True))
    grader = "The grade" if ladder.is_bundled else "Your instructor grades it: the grade"
    return (f"# {exercise['name']}\n\n{exercise['task']}\n\nEdit `{source_of(exercise)}`, then:\n\n```\n{typed}\n```\n\n"
            f"{grader} is passed where all of this holds.{words}\n\n" + "".join(f"- {text}\n" for text in criteria) + (f"\nHints:\n\n{hints}" if hints else ""))


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


class Run:
    """A program as it was recorded and asked."""

    def __init__(self, workshop, program, arguments, options, seconds):
        self.options, self.folder, self.trace = options, workshop.folder, workshop.folder / "trace.json"
        self.status, out, self.err = bounded([options.ompdm, "record", "-o", self.trace, "--", program, *arguments],
                                             workshop.folder, seconds)
        self.printed = workshop.ladder.same_lines(out)

    def failures(self, gates):
        """Pairs of a gate and a sentence, which is empty where the gate does not hold."""
        words = [word for gate in gates for word in ("--fail-if", gate.text)]
        told = subprocess.run([self.options.ompdm, "report", *words, self.trace], text=True, capture_output=True)
        if told.returncode == 0:
            return [(gate, "") for gate in gates]
        lines = [line.replace("ompdm: ", "").replace(f"{self.trace}", "trace.json") for line in told.stderr.strip().splitlines()]
        found = [(gate, next((line for line in lines if gate.is_named_in(line)), "")) for gate in gates]
        if not any(line for _, line in found):
            found = [(gate, lines[-1]) for gate in gates]
        value = lambda line: re.search(r" holds: .* is ([\d.]+)$", line)
        return [(gate, gate.failure(float(value(line)[1])) if value(line) else line) for gate, line in found]


def printed_by(program, workshop, arguments, seconds):
    """The lines that a program prints, and a sentence on why it did not run to its end."""
    status, out, _ = bounded([program, *arguments], workshop.folder, seconds)
    return workshop.ladder.same_lines(out), "" if status == 0 else how_it_ended(status, seconds)


def proven(exercise, workshop, options, check=False):
    """Builds an exercise's solution, and runs it on each of its inputs. Throws Failure unless it meets its own gates. Returns
    the lines that it prints for each input, and the seconds that it took."""
    ladder, began, source = workshop.ladder, time.monotonic(), f"{workshop.ladder.path}: {exercise['solution']}: the solution itself"
    program, arguments = workshop.build(exercise["solution"]), ladder.arguments_of(exercise)
    run = Run(workshop, program, arguments, options, 600)
    if run.status != 0:
        raise Failure(f"{source}: {how_it_ended(run.status, 600)}\n{run.err}".rstrip())
    if not run.trace.exists():
        raise Failure(f"{source}: no directive ran on the device: is offload in the compiler's options?")
    for gate, told in run.failures(ladder.gates_of(exercise)):
        if told:
            raise Failure(f"{source} fails the gate '{gate.text}': {told}")
    printed = [run.printed]
    for more in ladder.further_arguments_of(exercise):
        lines, told = printed_by(program, workshop, more, 600)
        if told:
            raise Failure(f"{source}, with {shlex.join(more)}: {told}")
        printed.append(lines)
    if check and exercise.get("check", True):
        status, out, err = bounded([options.ompdm, "check", program, *arguments], workshop.folder, 600)
        if status != 0:
            raise Failure(f"{source}: `ompdm check`: {how_it_ended(status, 600)}\n{out}{err}".rstrip())
    return printed, time.monotonic() - began


def grade(ladder, exercise, options):
    """Builds and runs a student's source in the place of the solution, and prints each criterion. Returns the exit status."""
    if not options.grade.is_file():
        raise Failure(f"{options.grade}: no such file")
    print(f"{ladder.name}/{exercise['name']}: {options.grade}", flush=True)
    verdict, arguments = Grade(), ladder.arguments_of(exercise)
    with tempfile.TemporaryDirectory() as scratch:
        expected, taken = proven(exercise, Workshop(ladder, pathlib.Path(scratch) / "solution", options.compiler), options)
        seconds = round(20 + 10 * taken)
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
        difference = first_difference(run.printed, expected[0], "the solution")
        verdict.add(not difference, "it prints the solution's results", difference)
        for more, lines in zip(ladder.further_arguments_of(exercise), expected[1:]):
            printed, told = printed_by(program, workshop, more, seconds)
            told = told or first_difference(printed, lines, "the solution")
            verdict.add(not told, f"it prints the solution's results with {shlex.join(more)}", told)
        if not run.trace.exists():
            verdict.add(False, "a target region runs on the device", "no directive ran there: is there a target directive?")
            return finish(verdict)
        for gate, told in run.failures(ladder.gates_of(exercise)):
            verdict.add(not told, gate.criterion(), told)
        if exercise.get("check", True):
            status, out, err = bounded([options.ompdm, "check", program, *arguments], workshop.folder, 10 * seconds)
            verdict.add(status == 0, "ompdm check finds nothing",
                        clean(out + err) if status is not None else how_it_ended(status, 10 * seconds))
    return finish(verdict)


def finish(verdict):
    passes = verdict.passed == verdict.all
    failed = verdict.all - verdict.passed
    print(f"passed: all {verdict.all}" if passes else f"failed: {failed} of {verdict.all}")
    return 0 if passes else FAILED
