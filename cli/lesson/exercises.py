"""The exercises of a ladder: what is shown of them, and what is handed out."""
import html
import os
import pathlib
import re
import shlex
import shutil

from lesson import BUNDLED, Failure
from lesson.grade import spoken_gate
from lesson.ladder import start_of, without_marks
from lesson.pages import code, listing, paragraph
from lesson.programs import build_line


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
    if BUNDLED in ladder.path.parents:
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


def commands(ladder, exercise, options):
    """The commands that build a student's source, run it and grade it."""
    name, source = exercise["name"], source_of(exercise)
    run = shlex.join([f"./{name}", *ladder.arguments_of(exercise)])
    lines = [build_line(ladder, source, name, options.compiler), f"ompdm record -- {run}", "ompdm report trace.json",
             f"ompdm check {run}"]
    # Readers of the students' edition do not have a ladder that did not come with ompdm.
    if not options.students or BUNDLED in ladder.path.parents:
        lines.append(f"{lesson_command(ladder, exercise, options)} --grade {shlex.quote(source)}")
    return lines


def source_of(exercise):
    """The name of the student's source."""
    return exercise["name"] + pathlib.Path(exercise["solution"]).suffix


def start_text(ladder, exercise):
    if "start" in exercise:
        return (ladder.folder / exercise["start"]).read_text()
    return start_of((ladder.folder / exercise["solution"]).read_text())


def exercise_part(ladder, exercise, options):
    """The exercise with its start, its hints and its solution, which are folded. Students get files instead of a solution."""
    hints = exercise.get("hints", [])
    if options.students:
        folder = f"exercise-{ladder.name}-{exercise['name']}"
        names = write_files(ladder, exercise, options.o / folder, options)
        links = ", ".join(f'<a href="{html.escape(folder)}/{html.escape(name)}">{html.escape(name)}</a>' for name in names)
        before, lines, solution = f"<p>The files to begin with: {links}</p>", [], ""
    else:
        before, lines = "", [f"{lesson_command(ladder, exercise, options)} --start ."]
        text = without_marks((ladder.folder / exercise["solution"]).read_text())
        solution = f"<details><summary>A solution</summary>{code(text)}</details>"
    typed = "\n".join(lines + commands(ladder, exercise, options))
    return f"""<article><h3>Exercise: {html.escape(exercise["name"])}</h3>{paragraph(exercise["task"])}{before}
<pre>{html.escape(typed)}</pre>
<details><summary>The program to begin with</summary>{code(start_text(ladder, exercise))}</details>
{"<details><summary>Hints</summary>" + listing(hints) + "</details>" if hints else ""}{solution}</article>"""


def write_start(ladder, exercise, options):
    names = write_files(ladder, exercise, options.start, options)
    print(f"lesson: wrote {', '.join(str(options.start / name) for name in names)}")
    print(f"lesson: read {options.start / 'TASK.md'}: it has the task, and the commands that build, run and grade it")


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
    criteria = ["it builds", "it prints the solution's lines (numbers within a millionth)", *map(spoken_gate, exercise.get("fail_if", []))]
    if exercise.get("check", True):
        criteria.append("`ompdm check` finds nothing")
    hints = "".join(f"- {hint}\n" for hint in exercise.get("hints", []))
    typed = "\n".join(commands(ladder, exercise, options))
    return (f"# {exercise['name']}\n\n{exercise['task']}\n\nEdit `{source_of(exercise)}`, then:\n\n```\n{typed}\n```\n\n"
            f"The grade is passed where:\n\n" + "".join(f"- {text}\n" for text in criteria) + (f"\nHints:\n\n{hints}" if hints else ""))
