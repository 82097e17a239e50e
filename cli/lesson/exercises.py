"""The exercises of a ladder: what is shown of them, and what is handed out."""
import html
import os
import pathlib
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


def exercise_lines(ladder, exercise, compiler):
    """The commands of an exercise: to get its start, to build and run it, and to grade it."""
    source = f"{exercise['name']}{pathlib.Path(exercise['solution']).suffix}"
    program = exercise["name"]
    which = f" --exercise {shlex.quote(exercise['name'])}" if len(ladder.exercises) > 1 else ""
    word = shlex.quote(ladder_word(ladder))
    if compiler:
        which += f" --compiler {shlex.quote(compiler)}"
    run = shlex.join([f"./{program}", *ladder.arguments_of(exercise)])
    return [f"ompdm lesson {word}{which} --start .", build_line(ladder, source, program, compiler), f"ompdm record -- {run}",
            "ompdm report trace.json", f"ompdm check {run}", f"ompdm lesson {word}{which} --grade {shlex.quote(source)}"]


def exercise_part(ladder, exercise, typed):
    """The exercise with its start; its hints and its solution are folded."""
    solution = (ladder.folder / exercise["solution"]).read_text()
    start = (ladder.folder / exercise["start"]).read_text() if "start" in exercise else start_of(solution)
    hints = exercise.get("hints", [])
    return f"""<article><h3>Exercise: {html.escape(exercise["name"])}</h3>{paragraph(exercise["task"])}
<pre>{html.escape(typed)}</pre><details><summary>The program to begin with</summary>{code(start)}</details>
{"<details><summary>Hints</summary>" + listing(hints) + "</details>" if hints else ""}
<details><summary>A solution</summary>{code(without_marks(solution))}</details></article>"""


def write_start(ladder, exercise, options):
    """Writes an exercise's start, its headers and its task into a folder. No file that is there is replaced."""
    solution = ladder.folder / exercise["solution"]
    start = (ladder.folder / exercise["start"]).read_text() if "start" in exercise else start_of(solution.read_text())
    source = f"{exercise['name']}{solution.suffix}"
    files = {source: start, "TASK.md": task_page(ladder, exercise, source, options.compiler)}
    # What it needs besides: headers, data, a Makefile; no other sources, which may tell the answer.
    told = {".c", ".cc", ".cpp", ".cxx", ".toml", ".o", ".json"}
    beside = [path for path in sorted(solution.parent.iterdir())
              if path.is_file() and path.suffix not in told and not path.name.startswith(".") and not os.access(path, os.X_OK)]
    options.start.mkdir(parents=True, exist_ok=True)
    for name in (source, "TASK.md"):
        if (options.start / name).exists():
            raise Failure(f"{options.start / name} is there already: move it away, or name another folder")
    for name, text in files.items():
        (options.start / name).write_text(text)
    for path in beside:
        if not (options.start / path.name).exists():
            shutil.copy(path, options.start)
    names = [*files, *(path.name for path in beside)]
    print(f"lesson: wrote {', '.join(str(options.start / name) for name in names)}")
    print(f"lesson: read {options.start / 'TASK.md'}: it has the task, and the commands that build, run and grade it")


def task_page(ladder, exercise, source, compiler):
    _, build, record, report, check, grade = exercise_lines(ladder, exercise, compiler)
    criteria = ["it builds", "it prints the solution's lines (numbers within a millionth)", *map(spoken_gate, exercise.get("fail_if", []))]
    if exercise.get("check", True):
        criteria.append("`ompdm check` finds nothing")
    hints = "".join(f"- {hint}\n" for hint in exercise.get("hints", []))
    return (f"# {exercise['name']}\n\n{exercise['task']}\n\nEdit `{source}`, then:\n\n```\n{build}\n{record}\n{report}\n{check}\n{grade}\n```\n\n"
            f"The grade is passed where:\n\n" + "".join(f"- {text}\n" for text in criteria) + (f"\nHints:\n\n{hints}" if hints else ""))
