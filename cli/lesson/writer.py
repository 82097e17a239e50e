"""Writes a lesson, for an instructor or for students: the part of each ladder, and the page that holds them."""
import difflib
import html
import json
import pathlib
import shlex
import shutil
import sys
import tempfile

from lesson import Failure, progress
from lesson.exercises import copy_beside, exercise_part, proven
from lesson.ladder import first_difference
from lesson.pages import (bar, code, diff, duration, first_report, listing, numbered, page, paragraph, prose, size, table,
                          table_of, what_moves)
from lesson.programs import Version, Workshop, build_line, ended, needed_files, version_commands

NOISE = 20_000_000  # nanoseconds
STUDENTS = "students"  # the folder of their edition
INTRODUCTION = ("<p>The code of a first version is shown. Of a later version you see what it moves: how would you write it? "
                "Then open its description.</p>")


class Recorded:
    """A ladder whose versions were recorded and whose solutions were tested: both editions are made of it."""

    def __init__(self, ladder, scratch, options):
        self.ladder, self.workshop, self.versions = ladder, Workshop(ladder, scratch, options.compiler), []
        for number, row in enumerate(ladder.versions, 1):
            progress(f"{ladder.name} {number} of {len(ladder.versions)}: {row['name']}")
            self.versions.append(Version(row["name"], self.workshop, ladder.source_of(row), ladder.arguments_of(row), options))
        if ladder.table.get("same", True):
            self.expect_same_output()
        for exercise in ladder.exercises:
            progress(f"{ladder.name}: exercise {exercise['name']}: its solution is graded")
            proven(exercise, self.workshop, options, check=True)
        self.most = max(1, *(version.moved() for version in self.versions)) if self.versions else 1

    def expect_same_output(self):
        lines = lambda version: self.ladder.same_lines(version.printed)
        for version in self.versions[1:]:
            first = self.versions[0]
            told = first_difference(lines(version), lines(first), first.name)
            if told:
                raise Failure(f"{self.ladder.path}: {version.name} does not print what {first.name} prints: {told}. `ignore` "
                              "leaves out lines that differ from run to run, `same = false` allows a difference")


def predicted(version):
    """The run without its redundant copies; null where it has none."""
    told = version.report["prediction"]
    return told if told and told["spared_bytes"] else None


def tells_time(version, told):
    """Whether the redundant copies take a tenth of the time at least."""
    return told["wall_ns"] < 0.9 * version.wall()


def prediction(version, following):
    told = predicted(version)
    if not told:
        return ""
    text = (f"<p>Redundant here: {size(told['spared_bytes'])} of {size(version.moved())}, in {told['spared_transfers']} of "
            f"{version.copies()} copies.")
    possible = (version.report["prediction"] or {}).get("possible")
    if possible and possible["spared_bytes"] > told["spared_bytes"]:
        text += f" Possibly redundant: {size(possible['spared_bytes'])} in all; the version's page says why."
    if following:
        text += f" The next version moves {size(following.moved())} in {following.copies()} copies."
    if tells_time(version, told):
        text += (f" Without the redundant copies the run would have taken about {duration(told['wall_ns'])} instead of "
                 f"{duration(version.wall())}" + (f"; the next version took {duration(following.wall())}." if following else "."))
    return text + "</p>"


def reason_of_gap(version, following):
    """Why the next version took another time than was predicted: the largest of the differences that were measured."""
    told = version.report["prediction"]
    moved = version.moved() - told["spared_bytes"]
    parts = {
        f"kernels took {duration(version.kernels())}, and take {duration(following.kernels())}": following.kernels() - version.kernels(),
        f"the prediction copies {size(moved)}, the next version {size(following.moved())}":
            following.transfers() - version.transfers() * moved / max(1, moved + told["spared_bytes"]),
    }
    gap = following.wall() - told["wall_ns"]
    text, largest = max(parts.items(), key=lambda part: abs(part[1]))
    if abs(gap) < max(told["wall_ns"] / 5, NOISE):
        return "within what two runs differ by"
    if largest * gap <= 0 or abs(largest) * 3 <= abs(gap):
        text = "host code, and the runtime's work for a mapping or a launch"
    return f"noise, or: {text}" if version.is_on_host() or version.is_noisy() or following.is_noisy() else text


def predictions(ladder, versions):
    """Each prediction beside the next version's figures; a ladder's own words (`gap`) replace the reason."""
    rows = []
    for row, version, following in zip(ladder.versions, versions, versions[1:]):
        told = predicted(version)
        if told:
            bytes_of = [size(version.moved()), size(version.moved() - told["spared_bytes"]), size(following.moved())]
            times, reason = ["–"] * 3, "the copies take too little time here: compare the bytes"
            if tells_time(version, told):
                times = [duration(version.wall()), duration(told["wall_ns"]), duration(following.wall())]
                reason = reason_of_gap(version, following)
            rows.append([f"{version.name} → {following.name}", *bytes_of, *times, row.get("gap") or reason])
    if not rows:
        return ""
    return ("<h3>Predicted and measured</h3><p>The prediction is a version's run without its redundant copies; the next version "
            "was measured. Times are left out where these copies take less than a tenth of the time.</p>"
            + table(["step", "bytes moved", "bytes predicted", "bytes of the next", "wall time", "time predicted",
                     "time of the next", "reason of the difference"], rows, text_at=(7,)))


def fixed(ladder, named, options, folder):
    """The patch that `ompdm fix` makes of a version, behind a question: its output, its diff, and the bytes that the patched
    program moves beside the version that was written by hand."""
    if not (options.ompdm.parent / "ompdm-edit").exists():
        print("lesson: leaves out ompdm fix: ompdm-edit is not installed", flush=True)
        return ""
    name = ladder.fix["version"]
    progress(f"{ladder.name}: ompdm fix patches {name}")
    row = next(row for row in ladder.versions if row["name"] == name)
    source, arguments = ladder.source_of(row), ladder.arguments_of(row)
    with tempfile.TemporaryDirectory() as scratch:
        workshop = Workshop(ladder, scratch, options.compiler)
        program = pathlib.Path(source).stem
        line = build_line(ladder, source, program, options.compiler)
        words = ["fix", "trace.json", "--build", line, "--release", "-o", "fix.patch", "--apply"]
        if "ignore" in ladder.table:
            words += ["--ignore", ladder.table["ignore"]]
        (workshop.folder / "compile_commands.json").write_text(
            json.dumps([{"directory": str(workshop.folder), "file": source, "command": line}]))
        workshop.build(source)
        run = [f"./{program}", *arguments]
        ended([options.ompdm, "record", "-o", "trace.json", "--", *run], workshop.folder)
        printed = ended([options.ompdm, *words], workshop.folder)
        patch = (workshop.folder / "fix.patch").read_text().replace(f"{workshop.folder}/", "./")
        workshop.built.clear()
        patched = Version("patched", workshop, source, arguments, options)
        patched.write_page(folder)
    beside = {name: named[name], f"{name}, patched": patched}
    if "by_hand" in ladder.fix:
        beside[f"{ladder.fix['by_hand']}, by hand"] = named[ladder.fix["by_hand"]]
    shown = f"$ ompdm record {shlex.join(run)}\n$ ompdm {shlex.join(words)}\n{printed}"
    question = ladder.fix.get("question", "Where would you put the directives, and which data would each name?")
    return f"""<article><h3>ompdm fix: {html.escape(name)}</h3><p>ompdm fix writes the directives, builds and runs
them in a copy, and keeps edits that print the same and move less.</p>
<details><summary>{prose(question)}</summary><pre>{html.escape(shown)}</pre>{paragraph(ladder.fix.get("answer", ""))}{diff(patch)}{table_of(beside, options.link)}
<p>The lines with # are the patch's own: how it was verified. <a href="{patched.page}">The patched program's page</a></p>
</details></article>"""


def difference(before, version):
    """What has changed in the functions that are shown; empty for the first version."""
    if before is None:
        return ""
    texts = ([line for lines in one.functions() for _, line in lines] for one in (before, version))
    lines = list(difflib.unified_diff(*texts, lineterm=""))[2:]
    shown = "\n".join("…" if line.startswith("@@") else line for line in lines[1:])
    return f"<details><summary>Difference to {html.escape(before.name)}</summary>{diff(shown)}</details>" if shown else ""


def article(recorded, row, before, version, following, options):
    """A version with its functions, its transfers, its question and the answer."""
    ladder = recorded.ladder
    return f"""<article><h3>{html.escape(version.name)}</h3>{paragraph(row.get("about", ""))}
{code(numbered(version.functions()))}{difference(before, version)}
<details><summary>Build it and run it</summary><pre>{html.escape(version_commands(ladder, row, options.compiler))}</pre></details>
{bar(version, recorded.most)}<p><i>{html.escape(version.headline)}</i></p>
{what_moves(version)}<p><a href="{version.page}">Its page: timeline, iterations, source, findings</a></p>
<details><summary>{prose(ladder.question_of(row))}</summary>{paragraph(row.get("answer", ""))}{prediction(version, following)}</details></article>"""


def versions_part(recorded, options, folder):
    """The versions for an instructor, each with its page; the comparison of all; what `ompdm fix` makes of one."""
    ladder, workshop, versions, parts = recorded.ladder, recorded.workshop, recorded.versions, []
    for name in needed_files(ladder):
        copy = folder / ladder.name / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ladder.folder / name, copy)
    if len(versions) > 1:
        text = ended([options.ompdm, "compare", "--format", "html", *[version.trace.name for version in versions]],
                     workshop.folder.parent)
        (folder / f"{ladder.name}.html").write_text(text.replace(f"{workshop.folder}/", ""))
        parts.append(f'<p><a href="{ladder.name}.html">All versions side by side</a></p>')
    for row, before, version, following in zip(ladder.versions, [None, *versions], versions, [*versions[1:], None]):
        version.write_page(folder)
        parts.append(article(recorded, row, before, version, following, options))
    parts.append(predictions(ladder, versions))
    if ladder.fix:
        parts.append(fixed(ladder, {version.name: version for version in versions}, options, folder))
    return parts


def check_secrets(ladders, options):
    """Throws Failure where the students' edition would tell a solution."""
    folder = options.o / STUDENTS
    if folder.is_dir() and any(folder.iterdir()):
        raise Failure(f"{folder} has files already, which may tell answers: remove the folder, or name another lesson with -o")
    for ladder in ladders:
        if ladder.name == STUDENTS:
            raise Failure(f"{ladder.path}: its files would be in the students' folder: give it another name")
        for exercise in ladder.exercises:
            if ladder.versions and exercise["solution"] == ladder.source_of(ladder.versions[0]):
                raise Failure(f"{ladder.path}: exercise {exercise['name']}: its solution is the first version, which students see")


def versions_for_students(recorded, options, folder):
    """The first version as it is; of each later one what it moves, and its question. Its description is folded: it answers
    the question before it."""
    ladder, workshop, versions, most = recorded.ladder, recorded.workshop, recorded.versions, recorded.most
    row, first = ladder.versions[0], versions[0]
    source = ladder.source_of(row)
    # A source of several versions is not handed out: its first version is shown in the lesson, and its page has no code.
    is_alone = source not in [ladder.source_of(other) for other in ladder.versions[1:]]
    first.write_page(folder, *([] if is_alone else ["--no-source"]))
    built = ""
    if is_alone:
        copy = folder / ladder.name / source
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(workshop.folder / source, copy)
        copy_beside(ladder.folder / source, copy.parent)
        built = f"<details><summary>Build it and run it</summary><pre>{html.escape(version_commands(ladder, row, options.compiler, True))}</pre></details>"
    question = lambda row: f"<p><b>Question:</b> {prose(ladder.question_of(row))}</p>"
    parts = [f"""<article><h3>{html.escape(first.name)}</h3>{paragraph(row.get("about", ""))}
{code(numbered(first.functions()))}{built}{bar(first, most)}<p><i>{html.escape(first.headline)}</i></p>{what_moves(first)}
<p><a href="{first.page}">Its page: timeline, iterations, findings</a></p>{question(row)}</article>"""]
    for row, version in zip(ladder.versions[1:], versions[1:]):
        about = f"<details><summary>Its description</summary>{paragraph(row['about'])}</details>" if "about" in row else ""
        parts.append(f"<article><h3>{html.escape(version.name)}</h3>{bar(version, most)}{about}{question(row)}</article>")
    return parts


def ladder_part(recorded, options, folder, for_students):
    """The part of a ladder; its files are written into the edition's folder."""
    ladder = recorded.ladder
    minutes = f" ({ladder.table['minutes']} minutes)" if "minutes" in ladder.table else ""
    parts = [f'<h2 id="{html.escape(ladder.name)}">{html.escape(ladder.table["title"])}{minutes}</h2>',
             paragraph(ladder.table.get("about", "")),
             "<p>Goals:</p>" + listing(ladder.table["goals"]) if "goals" in ladder.table else ""]
    if recorded.versions:
        parts.append(table_of({version.name: version for version in recorded.versions}, options.link))
        parts += (versions_for_students if for_students else versions_part)(recorded, options, folder)
    parts += [exercise_part(ladder, exercise, options, folder, for_students) for exercise in ladder.exercises]
    return "\n".join(part for part in parts if part)


def write_edition(all_recorded, options, folder, for_students):
    folder.mkdir()
    ladders = [recorded.ladder for recorded in all_recorded]
    same = "" if any(not ladder.table.get("same", True) for ladder in ladders) else "The versions of a program compute the same. "
    parts = [f"<p>{same}Their directives differ, and so do their copies. Times are of the machine that made these pages: its "
             'processor plays the device where there is no GPU. <a href="first-report.html">Reading your first report</a> '
             "explains the words.</p>"]
    if for_students:
        parts.append(INTRODUCTION)
    if len(ladders) > 1:
        links = (f'<a href="#{html.escape(ladder.name)}">{html.escape(ladder.table["title"])}</a>' for ladder in ladders)
        parts.append(f"<p>{' · '.join(links)}</p>")
    parts += [ladder_part(recorded, options, folder, for_students) for recorded in all_recorded]
    (folder / "index.html").write_text(page("Where the data moves", "\n".join(parts)))
    (folder / "first-report.html").write_text(first_report())


def write_lesson(ladders, options):
    """Makes the lesson in a scratch folder, and moves it where all has worked."""
    if options.students:
        check_secrets(ladders, options)
    texts = [text for ladder in ladders for text in ladder.path.read_text().splitlines() if "TODO:" in text and not text.startswith("#")]
    if texts:
        print(f"lesson: {len(texts)} TODO left in the ladder, the first: {texts[0].strip()}", file=sys.stderr)
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        all_recorded = [Recorded(ladder, scratch / f"{number}", options) for number, ladder in enumerate(ladders)]
        made = scratch / "lesson"
        write_edition(all_recorded, options, made, for_students=False)
        if options.students:
            write_edition(all_recorded, options, made / STUDENTS, for_students=True)
        shutil.copytree(made, options.o, dirs_exist_ok=True)
    print(f"lesson: open {options.o / 'index.html'}")
    if not options.students and (options.o / STUDENTS).is_dir():
        print(f"lesson: {options.o / STUDENTS} is of an earlier run: its times are others")
    if options.students:
        print(f"lesson: for students: {options.o / STUDENTS}: put this folder alone on a web server, for the one above it has the answers")
