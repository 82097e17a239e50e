"""What ompdm tells of the next version: its predictions beside the measured times, and the patch of `ompdm fix`."""
import html
import json
import pathlib
import shlex
import tempfile

from lesson import progress
from lesson.pages import diff, duration, size, table, table_of
from lesson.programs import Version, Workshop, build_line, ended

NOISE = 20_000_000  # nanoseconds


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
        told = version.report["prediction"]
        if told and told["spared_bytes"] and told["wall_ns"] < 0.9 * version.wall():
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
<details><summary>{html.escape(question)}</summary><pre>{html.escape(shown)}</pre>{diff(patch)}{table_of(beside, options.link)}
<p>The lines with # are the patch's own: how it was verified. <a href="{patched.page}">The patched program's page</a></p>
</details></article>"""
