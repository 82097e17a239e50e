"""Writes a lesson: the part of each ladder, and the page that holds them."""
import html
import json
import pathlib
import shlex
import shutil
import sys
import tempfile

from lesson.exercises import exercise_lines, exercise_part
from lesson.pages import (code, diff, duration, first_report, listing, page, paragraph, prose, size, table)
from lesson.programs import Version, Workshop, build_line, ended

NOISE = 20_000_000  # nanoseconds


def what_moves(version):
    loop = version.busiest_loop()
    if loop is None:
        return "<p>No loop copies anything.</p>"
    return (f"<p>In an iteration after the first, of {loop['count']}: {size(loop['HtoD_bytes'])} to the device, "
            f"{size(loop['DtoH_bytes'])} back, in {duration(loop['wall_ns'])}.</p>")


def prediction(version, following):
    told = version.report["prediction"]
    if not told or told["spared_bytes"] == 0 or told["wall_ns"] > 0.9 * version.wall():
        return ""
    text = (f"<p>Redundant here: {size(told['spared_bytes'])} in {told['spared_transfers']} copies. Without them the run "
            f"would have taken about {duration(told['wall_ns'])} instead of {duration(version.wall())}")
    return text + (f"; the next version took {duration(following.wall())}.</p>" if following else ".</p>")


def reason_of_gap(version, following):
    """Why the next version took another time than was predicted: the largest of the differences that were measured."""
    told = version.report["prediction"]
    moved = sum(version.bytes(way) for way in ("HtoD", "DtoH")) - told["spared_bytes"]
    moves = sum(following.bytes(way) for way in ("HtoD", "DtoH"))
    parts = {
        f"kernels took {duration(version.kernels())}, and take {duration(following.kernels())}": following.kernels() - version.kernels(),
        f"the prediction copies {size(moved)}, the next version {size(moves)}":
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
        told = version.report["prediction"]
        if told and told["spared_bytes"] and told["wall_ns"] < 0.9 * version.wall():
            rows.append([f"{version.name} → {following.name}", duration(version.wall()), duration(told["wall_ns"]),
                         duration(following.wall()), row.get("gap") or reason_of_gap(version, following)])
    if not rows:
        return ""
    return ("<h3>Predicted and measured</h3><p>The prediction is a version's run without its redundant copies. Versions whose "
            "redundant copies take less than a tenth of their time are left out.</p>"
            + table(["step", "wall", "predicted", "measured", "reason of the difference"], rows, text_at=(4,)))


def side_by_side(named, link):
    rows = [[name, size(version.bytes("HtoD")), size(version.bytes("DtoH")), version.copies(), duration(version.kernels()),
             duration(version.wall()), duration(version.modelled_transfer())]
            for name, version in named.items()]
    return table(["version", "HtoD", "DtoH", "copies", "kernels", "wall here", f"transfers on {link} (a model)"], rows)


def article(ladder, row, version, following, most, line):
    to, back = version.bytes("HtoD"), version.bytes("DtoH")
    program = pathlib.Path(ladder.source_of(row)).stem
    typed = f"cd {ladder.name}\n{line}\nompdm record -o {row['name']}.json -- ./{shlex.join([program, *ladder.arguments_of(row)])}\nompdm report {row['name']}.json"
    question = row.get("question", "What would you change?")
    return f"""<article><h3>{html.escape(row["name"])}</h3>{paragraph(row.get("about", ""))}
{code(version.bodies())}
<details><summary>Build it and run it</summary><pre>{html.escape(typed)}</pre></details>
<div class="bar" role="img" aria-label="{size(to)} to the device, {size(back)} back"><div class="to" style="width:{100 * to / most:.2f}%"></div><div class="back" style="width:{100 * back / most:.2f}%"></div></div>
<p>{size(to)} to the device and {size(back)} back, in {version.copies()} copies. <i>{html.escape(version.headline)}</i></p>
{what_moves(version)}<p><a href="{version.page.name}">Its page: timeline, iterations, source, findings</a></p>
<details><summary>{prose(question)}</summary>{paragraph(row.get("answer", ""))}{prediction(version, following)}</details></article>"""


def ladder_part(ladder, options):
    """Records all versions of a ladder, and returns its part of the lesson."""
    minutes = f" ({ladder.table['minutes']} minutes)" if "minutes" in ladder.table else ""
    parts = [f'<h2 id="{html.escape(ladder.name)}">{html.escape(ladder.table["title"])}{minutes}</h2>',
             paragraph(ladder.table.get("about", "")), listing(ladder.table.get("goals", []))]
    with tempfile.TemporaryDirectory() as scratch:
        workshop = Workshop(ladder, scratch, options.compiler)
        if ladder.versions:
            shutil.copytree(workshop.folder, options.o / ladder.name, dirs_exist_ok=True,
                            ignore=shutil.ignore_patterns("*.toml", "exercises"))
        versions = []
        for number, row in enumerate(ladder.versions, 1):
            progress(f"{ladder.name} {number} of {len(ladder.versions)}: {row['name']}")
            program = workshop.build(ladder.source_of(row))
            versions.append(Version(options.ompdm, program, ladder.arguments_of(row), options.o / f"{ladder.name}-{row['name']}",
                              row["name"], options.link, workshop.folder))
        for version in versions[1:]:
            if ladder.same_lines(version.printed) != ladder.same_lines(versions[0].printed):
                print(f"lesson: {ladder.name}: {version.name} prints something else than {versions[0].name}: is it right? "
                      "(`ignore` leaves out lines that differ from run to run)", file=sys.stderr)
        if versions:
            named = {version.name: version for version in versions}
            parts.append(side_by_side(named, options.link))
            if len(versions) > 1:
                compared = options.o / f"{ladder.name}.html"
                ended([options.ompdm, "compare", "--format", "html", "-o", compared, *[version.trace for version in versions]])
                parts.append(f'<p><a href="{compared.name}">All versions side by side</a></p>')
            most = max(1, *(version.bytes("HtoD") + version.bytes("DtoH") for version in versions))
            for row, version, following in zip(ladder.versions, versions, [*versions[1:], None]):
                source = ladder.source_of(row)
                line = build_line(ladder, source, pathlib.Path(source).stem, options.compiler)
                parts.append(article(ladder, row, version, following, most, line))
            parts.append(predictions(ladder, versions))
            for version in versions:
                version.remove()
            if ladder.fix:
                parts.append(fixed(ladder, named, options))
    for exercise in ladder.exercises:
        typed = "\n".join(exercise_lines(ladder, exercise, options.compiler))
        parts.append(exercise_part(ladder, exercise, typed))
    return "\n".join(part for part in parts if part)


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
        patched = Version(options.ompdm, workshop.build(source), arguments, options.o / f"{ladder.name}-patched", "patched",
                       options.link, workshop.folder)
        patched.remove()
    beside = {name: named[name], f"{name}, patched": patched}
    if "by_hand" in ladder.fix:
        beside[f"{ladder.fix['by_hand']}, by hand"] = named[ladder.fix["by_hand"]]
    shown = f"$ ompdm record {shlex.join(run)}\n$ ompdm {shlex.join(words)}\n{printed}"
    question = ladder.fix.get("question", "Where would you put the directives, and which data would each name?")
    return f"""<article><h3>ompdm fix: {html.escape(name)}</h3><p>ompdm fix writes the directives, builds and runs
them in a copy, and keeps edits that print the same and move less.</p>
<details><summary>{html.escape(question)}</summary><pre>{html.escape(shown)}</pre>{diff(patch)}{side_by_side(beside, options.link)}
<p>The lines with # are the patch's own: how it was verified. <a href="{patched.page.name}">The patched program's page</a></p>
</details></article>"""


def progress(text):
    print(f"lesson: {text}", flush=True)


def write_lesson(ladders, options):
    options.o.mkdir(parents=True, exist_ok=True)
    parts = ["<p>The versions of a program compute the same. Their directives differ, and so do their copies. Times are of "
             "this machine: its processor plays the device where there is no GPU. "
             '<a href="first-report.html">Reading your first report</a> explains the words.</p>']
    if len(ladders) > 1:
        links = (f'<a href="#{html.escape(ladder.name)}">{html.escape(ladder.table["title"])}</a>' for ladder in ladders)
        parts.append(f"<p>{' · '.join(links)}</p>")
    texts = [text for ladder in ladders for text in ladder.path.read_text().splitlines() if "TODO" in text and not text.startswith("#")]
    if texts:
        print(f"lesson: {len(texts)} TODO left in the ladder, the first: {texts[0].strip()}", file=sys.stderr)
    try:
        parts += [ladder_part(ladder, options) for ladder in ladders]
    finally:
        for kind in ("*.json", "*.facts", "*.spool"):
            for path in options.o.glob(kind):
                path.unlink()
    (options.o / "index.html").write_text(page("Where the data moves", "\n".join(parts)))
    (options.o / "first-report.html").write_text(first_report())
    print(f"lesson: open {options.o / 'index.html'}")
