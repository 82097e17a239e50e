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
from lesson.exercises import copy_beside, exercise_part
from lesson.pages import (bar, code, diff, duration, first_report, listing, numbered, page, paragraph, prose, size, table,
                          table_of, what_moves)
from lesson.programs import Version, Workshop, build_line, ended, version_commands

NOISE = 20_000_000  # nanoseconds
INTRODUCTION = "<p>The code of a first version is shown. Of a later version you see what it moves: how would you write it?</p>"


def recorded(ladder, workshop, options):
    """The versions of a ladder, recorded one after the other."""
    versions = []
    for number, row in enumerate(ladder.versions, 1):
        progress(f"{ladder.name} {number} of {len(ladder.versions)}: {row['name']}")
        versions.append(Version(row["name"], workshop, ladder.source_of(row), ladder.arguments_of(row), options))
    for version in versions[1:]:
        if ladder.same_lines(version.printed) != ladder.same_lines(versions[0].printed):
            print(f"lesson: {ladder.name}: {version.name} prints something else than {versions[0].name}: is it right? "
                  "(`ignore` leaves out lines that differ from run to run)", file=sys.stderr)
    return versions


def predicted(version):
    """The run without its redundant copies; null where those take less than a tenth of its time."""
    told = version.report["prediction"]
    return told if told and told["spared_bytes"] and told["wall_ns"] < 0.9 * version.wall() else None


def prediction(version, following):
    told = predicted(version)
    if not told:
        return ""
    text = (f"<p>Redundant here: {size(told['spared_bytes'])} in {told['spared_transfers']} copies. Without them the run "
            f"would have taken about {duration(told['wall_ns'])} instead of {duration(version.wall())}")
    return text + (f"; the next version took {duration(following.wall())}.</p>" if following else ".</p>")


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
    return text if largest * gap > 0 and abs(largest) * 3 > abs(gap) else "host code, and the runtime's work for a mapping or a launch"


def predictions(ladder, versions):
    """Each prediction beside the time of the next version; a ladder's own words (`gap`) replace the reason."""
    rows = []
    for row, version, following in zip(ladder.versions, versions, versions[1:]):
        told = predicted(version)
        if told:
            rows.append([f"{version.name} → {following.name}", duration(version.wall()), duration(told["wall_ns"]),
                         duration(following.wall()), row.get("gap") or reason_of_gap(version, following)])
    if not rows:
        return ""
    return ("<h3>Predicted and measured</h3><p>The prediction is a version's run without its redundant copies. Versions whose "
            "redundant copies take less than a tenth of their time are left out.</p>"
            + table(["step", "wall", "predicted", "measured", "reason of the difference"], rows, text_at=(4,)))


def fixed(ladder, named, options):
    """The patch that `ompdm fix` makes of a version, behind a question: its output, its diff, and the bytes that the patched
    program moves beside the version that was written by hand."""
    if not (options.ompdm.parent / "ompdm-edit").exists():
        print("lesson: leaves out ompdm fix: ompdm-edit is not installed", flush=True)
        return ""
    name = ladder.fix["version"]
    progress(f"{ladder.name}: ompdm fix patches {name}")
    row = next(row for row in ladder.versions if row["name"] == name)
    source, arguments = ladder.source_of(row), ladder.arguments_of(row)
    words = ["fix", "trace.json", "--build", "sh build", "--release", "-o", "fix.patch", "--apply"]
    if "ignore" in ladder.table:
        words[5:5] = ["--ignore", ladder.table["ignore"]]
    with tempfile.TemporaryDirectory() as scratch:
        workshop = Workshop(ladder, scratch, options.compiler)
        program = pathlib.Path(source).stem
        line = build_line(ladder, source, program, options.compiler)
        (workshop.folder / "build").write_text(f"{line}\n")
        (workshop.folder / "compile_commands.json").write_text(
            json.dumps([{"directory": str(workshop.folder), "file": source, "command": line}]))
        workshop.build(source)
        run = [f"./{program}", *arguments]
        ended([options.ompdm, "record", "-o", "trace.json", "--", *run], workshop.folder)
        printed = ended([options.ompdm, *words], workshop.folder)
        patch = (workshop.folder / "fix.patch").read_text().replace(f"{workshop.folder}/", "./")
        workshop.built.clear()
        patched = Version("patched", workshop, source, arguments, options)
        patched.write_page(options.o)
    beside = {name: named[name], f"{name}, patched": patched}
    if "by_hand" in ladder.fix:
        beside[f"{ladder.fix['by_hand']}, by hand"] = named[ladder.fix["by_hand"]]
    shown = f"$ ompdm record {shlex.join(run)}\n$ ompdm {shlex.join(words)}\n{printed}"
    question = ladder.fix.get("question", "Where would you put the directives, and which data would each name?")
    return f"""<article><h3>ompdm fix: {html.escape(name)}</h3><p>ompdm fix writes the directives, builds and runs
them in a copy, and keeps edits that print the same and move less.</p>
<details><summary>{prose(question)}</summary><pre>{html.escape(shown)}</pre>{diff(patch)}{table_of(beside, options.link)}
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


def article(ladder, row, before, version, following, most, options):
    """A version with its functions, its transfers, its question and the answer."""
    return f"""<article><h3>{html.escape(version.name)}</h3>{paragraph(row.get("about", ""))}
{code(numbered(version.functions()))}{difference(before, version)}
<details><summary>Build it and run it</summary><pre>{html.escape(version_commands(ladder, row, options.compiler))}</pre></details>
{bar(version, most)}<p><i>{html.escape(version.headline)}</i></p>
{what_moves(version)}<p><a href="{version.page}">Its page: timeline, iterations, source, findings</a></p>
<details><summary>{prose(ladder.question_of(row))}</summary>{paragraph(row.get("answer", ""))}{prediction(version, following)}</details></article>"""


def versions_part(ladder, workshop, versions, most, options):
    """The versions for an instructor, each with its page; the comparison of all; what `ompdm fix` makes of one."""
    parts = []
    if len(versions) > 1:
        text = ended([options.ompdm, "compare", "--format", "html", *[version.trace.name for version in versions]],
                     workshop.folder.parent)
        (options.o / f"{ladder.name}.html").write_text(text.replace(f"{workshop.folder}/", ""))
        parts.append(f'<p><a href="{ladder.name}.html">All versions side by side</a></p>')
    for row, before, version, following in zip(ladder.versions, [None, *versions], versions, [*versions[1:], None]):
        version.write_page(options.o)
        parts.append(article(ladder, row, before, version, following, most, options))
    parts.append(predictions(ladder, versions))
    if ladder.fix:
        parts.append(fixed(ladder, {version.name: version for version in versions}, options))
    return parts


def check_secrets(ladders, options):
    """Throws Failure where the edition would tell a solution."""
    if options.o.is_dir() and any(options.o.iterdir()):
        raise Failure(f"{options.o} has files already, and those of an instructor's lesson tell the answers: "
                      "remove them, or name another folder with -o")
    for ladder in ladders:
        for exercise in ladder.exercises:
            if ladder.versions and exercise["solution"] == ladder.source_of(ladder.versions[0]):
                raise Failure(f"{ladder.path}: exercise {exercise['name']}: its solution is the first version, which students see")


def versions_for_students(ladder, workshop, versions, most, options):
    """The first version as it is; of each later one what it moves, and the question of the version before."""
    row, first = ladder.versions[0], versions[0]
    source = ladder.source_of(row)
    # A source of several versions is not handed out: its first version is shown in the lesson, and its page has no code.
    is_alone = source not in [ladder.source_of(other) for other in ladder.versions[1:]]
    first.write_page(options.o, *([] if is_alone else ["--no-source"]))
    built = ""
    if is_alone:
        copy = options.o / ladder.name / source
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(workshop.folder / source, copy)
        copy_beside(ladder.folder / source, copy.parent)
        built = f"<details><summary>Build it and run it</summary><pre>{html.escape(version_commands(ladder, row, options.compiler))}</pre></details>"
    parts = [f"""<article><h3>{html.escape(first.name)}</h3>{paragraph(row.get("about", ""))}
{code(numbered(first.functions()))}{built}{bar(first, most)}<p><i>{html.escape(first.headline)}</i></p>{what_moves(first)}
<p><a href="{first.page}">Its page: timeline, iterations, findings</a></p></article>"""]
    for before, version in zip(ladder.versions, versions[1:]):
        parts.append(f"""<article><h3>{html.escape(version.name)}</h3>{bar(version, most)}
<p><b>Question on {html.escape(before["name"])}:</b> {prose(ladder.question_of(before))}</p></article>""")
    return parts


def ladder_part(ladder, options):
    """Records all versions of a ladder, and returns its part of the lesson."""
    minutes = f" ({ladder.table['minutes']} minutes)" if "minutes" in ladder.table else ""
    parts = [f'<h2 id="{html.escape(ladder.name)}">{html.escape(ladder.table["title"])}{minutes}</h2>',
             paragraph(ladder.table.get("about", "")),
             "<p>Goals:</p>" + listing(ladder.table["goals"]) if "goals" in ladder.table else ""]
    with tempfile.TemporaryDirectory() as scratch:
        workshop = Workshop(ladder, scratch, options.compiler)
        if ladder.versions and not options.students:
            shutil.copytree(workshop.folder, options.o / ladder.name, dirs_exist_ok=True,
                            ignore=shutil.ignore_patterns("*.toml", "exercises"))
        versions = recorded(ladder, workshop, options)
        if versions:
            parts.append(table_of({version.name: version for version in versions}, options.link))
            most = max(1, *(version.moved() for version in versions))
            parts += (versions_for_students if options.students else versions_part)(ladder, workshop, versions, most, options)
    parts += [exercise_part(ladder, exercise, options) for exercise in ladder.exercises]
    return "\n".join(part for part in parts if part)


def write_lesson(ladders, options):
    if options.students:
        check_secrets(ladders, options)
    options.o.mkdir(parents=True, exist_ok=True)
    parts = ["<p>The versions of a program compute the same. Their directives differ, and so do their copies. Times are of "
             "the machine that made these pages: its processor plays the device where there is no GPU. "
             '<a href="first-report.html">Reading your first report</a> explains the words.</p>']
    if options.students:
        parts.append(INTRODUCTION)
    if len(ladders) > 1:
        links = (f'<a href="#{html.escape(ladder.name)}">{html.escape(ladder.table["title"])}</a>' for ladder in ladders)
        parts.append(f"<p>{' · '.join(links)}</p>")
    texts = [text for ladder in ladders for text in ladder.path.read_text().splitlines() if "TODO:" in text and not text.startswith("#")]
    if texts:
        print(f"lesson: {len(texts)} TODO left in the ladder, the first: {texts[0].strip()}", file=sys.stderr)
    parts += [ladder_part(ladder, options) for ladder in ladders]
    (options.o / "index.html").write_text(page("Where the data moves", "\n".join(parts)))
    (options.o / "first-report.html").write_text(first_report())
    print(f"lesson: open {options.o / 'index.html'}")
