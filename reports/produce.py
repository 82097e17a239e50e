#!/usr/bin/env python3
"""Runs every rung of every kernel under the recorder and writes its report into BUILD_DIR/reports; copies here those files
that are kept here, and pastes these into README and docs.

    reports/produce.py BUILD_DIR [--folder host]     (cmake --build --preset default --target reports)
    reports/produce.py BUILD_DIR --predictions       only predictions.md: what was promised and what came true
    reports/produce.py BUILD_DIR --samples           only the samples in README and docs
    reports/produce.py --paste [--check]             only the blocks of README and docs, from the files that are here
"""
import argparse
import datetime
import json
import os
import pathlib
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
README = HERE.parent / "README.md"

# The tutorials' arguments where a host device copes with them in seconds; jacobi's table is for 4096.
RUNGS = {
    "vadd": (["serial", "cpu", "implicit", "mapped"], ["100000"]),
    "pi": (["serial", "cpu", "target", "parallel", "distribute", "nested", "combined", "loop"], ["100000000"]),
    "jacobi": (["serial", "cpu", "naive", "data", "branchless", "coalesced"], ["500"]),
    "heat": (["serial", "cpu", "naive", "data", "collapse", "optimized"], ["1000", "10"]),
}
NO_DEVICE = ("serial", "cpu")

# A rung with findings, and one that does what they advise (or more).
PAIRS = [
    ("heat", "naive", "data", ["2000", "10"]),
    ("heat", "naive", "optimized", ["2000", "10"]),
    ("jacobi", "naive", "data", ["1000"]),
    ("jacobi", "naive", "coalesced", ["1000"]),
]
RUNS = 5


def run(command, **options):
    done = subprocess.run(command, text=True, capture_output=True, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor()


def shown(command, build):
    """The command as a reader would type it in the project's folder."""
    return " ".join(str(word).replace(str(build), "build") for word in command)


def produce(build, folder):
    ompdm = build / "bin" / "ompdm"
    rows = []
    for kernel, (rungs, arguments) in RUNGS.items():
        for rung in rungs:
            program = [build / "bin" / "kernels" / kernel, "--variant", rung, *arguments]
            print(f"{kernel} {rung}", flush=True)
            with tempfile.TemporaryDirectory() as scratch:
                trace = os.path.join(scratch, "trace.json")
                record = [ompdm, "record", "-o", trace, *program]
                printed = run(program if rung in NO_DEVICE else record)
                solve = re.search(r"solve time: ([0-9.]+)", printed).group(1)
                if rung in NO_DEVICE:
                    rows.append((kernel, rung, arguments, solve, None))
                    continue
                text = run([ompdm, "report", "trace.json"], cwd=scratch, env={**os.environ, "COLUMNS": "120"})
                report = json.loads(run([ompdm, "report", "--format", "json", trace]))
            typed = shown(["build/bin/ompdm", "record", *program], build)
            (folder / f"{kernel}-{rung}.txt").write_text(
                f"$ {typed}\n{printed}\n$ build/bin/ompdm report trace.json\n{text.replace(str(build), 'build')}")
            rows.append((kernel, rung, arguments, solve, report["totals"]))
    write_table(folder, rows, run([ompdm, "--version"]).strip())
    predict(build, folder)
    if folder.name == "host":
        write_samples(ompdm, build, folder)
        print(run([ompdm, "lesson", "-o", folder.parent / "lesson"]), end="")


def write_table(folder, rows, version):
    lines = [
        f"# Every rung, on {'host devices' if folder.name == 'host' else folder.name}",
        "",
        f"Produced by `cmake --build --preset default --target reports` on {datetime.date.today()}, {version},",
        f"{processor()}, {os.cpu_count()} cores. " + (
            "The device is played by this machine's processor: bytes and counts are\nthose of a GPU run, "
            "times are not." if folder.name == "host" else ""),
        "",
        "| program | rung | arguments | solve time (s) | HtoD calls | HtoD MB | DtoH calls | DtoH MB | kernels | report |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for kernel, rung, arguments, solve, totals in rows:
        moved = ["", "", "", "", "", ""]
        if totals:
            moved = [f"{totals['HtoD']['count']}", f"{totals['HtoD']['bytes'] / 1e6:.3f}",
                     f"{totals['DtoH']['count']}", f"{totals['DtoH']['bytes'] / 1e6:.3f}",
                     f"{totals['kernel']['count']}", f"[{kernel}-{rung}.txt]({kernel}-{rung}.txt)"]
        lines.append(f"| {kernel} | `{rung}` | {' '.join(arguments)} | {solve} | {' | '.join(moved)} |")
    (folder / "README.md").write_text("\n".join(lines) + "\n")


def predict(build, folder):
    """Each pair run RUNS times in turn; the median of the predictions beside the median of what came true."""
    ompdm = build / "bin" / "ompdm"
    lines = [
        "# Predicted and achieved",
        "",
        f"Produced by `reports/produce.py BUILD_DIR --predictions` on {datetime.date.today()},",
        f"{processor()}, {os.cpu_count()} cores. Medians of {RUNS} pairs of runs, each with the least and the largest",
        "ratio, all contents compared. A prediction is the whole process without what is likely waste; it knows",
        "nothing of kernels that get better by themselves, as those of `optimized` and `coalesced` do. \"kernels\" is",
        "the part of both that kernels took.",
        "",
        "| program | rung | wall (ms) | kernels (ms) | predicted (ms) | rung | achieved (ms) | kernels (ms) "
        "| predicted / achieved |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for kernel, before, after, arguments in PAIRS:
        print(f"{kernel} {before} and {after}", flush=True)
        runs = []
        for _ in range(RUNS):
            with tempfile.TemporaryDirectory() as scratch:
                traces = [os.path.join(scratch, rung + ".json") for rung in (before, after)]
                for rung, trace in zip((before, after), traces):
                    run([ompdm, "record", "-o", trace, build / "bin" / "kernels" / kernel, "--variant", rung,
                         *arguments], env={**os.environ, "OMPDM_HASH": "full"})
                compared = json.loads(run([ompdm, "compare", *traces, "--format", "json"]))
            wall = compared["prediction"]["wall_ns"]
            kernels = compared["totals"]["kernel"]["time_ns"]
            runs.append((compared["trace"]["before"]["wall_ns"], kernels["before"], wall["predicted"],
                         wall["achieved"], kernels["after"], wall["predicted"] / wall["achieved"]))
        first, first_kernels, predicted, achieved, kernels, ratio = (statistics.median(column)
                                                                     for column in zip(*runs))
        ratios = [row[-1] for row in runs]
        lines.append(
            f"| {kernel} {' '.join(arguments)} | `{before}` | {first / 1e6:.1f} | {first_kernels / 1e6:.1f} "
            f"| {predicted / 1e6:.1f} | `{after}` | {achieved / 1e6:.1f} | {kernels / 1e6:.1f} "
            f"| {ratio:.2f} ({min(ratios):.2f} to {max(ratios):.2f}) |")
    (folder / "predictions.md").write_text("\n".join(lines) + "\n")


def write_ladder(ompdm, build, folder):
    """What compare says of heat's rungs, to the end of the first table."""
    rungs = [rung for rung in RUNGS["heat"][0] if rung not in NO_DEVICE]
    with tempfile.TemporaryDirectory() as scratch:
        for rung in rungs:
            run([ompdm, "record", "-o", f"{rung}.json", build / "bin" / "kernels" / "heat", "--variant", rung,
                 *RUNGS["heat"][1]], cwd=scratch)
        command = [ompdm, "compare", *(f"{rung}.json" for rung in rungs)]
        lines = run(command, cwd=scratch).splitlines()
        table = lines.index("Versions, one after the other")
        until = lines.index("", table)
        text = "\n".join([lines[0], "", *lines[table:until]])
        (folder / "heat-compare.txt").write_text(f"$ {shown(command, build)}\n{text}\n...\n")


def write_fix(ompdm, build, folder):
    """What fix makes of heat's naive rung, in a folder of its own with a Makefile."""
    offload = json.loads((build / "offload.json").read_text())
    kernels = HERE.parent / "kernels"
    with tempfile.TemporaryDirectory() as scratch:
        for name in ("heat.cpp", "arguments.h"):
            (pathlib.Path(scratch) / name).write_text((kernels / name).read_text())
        (pathlib.Path(scratch) / "Makefile").write_text(
            f"heat: heat.cpp\n\t{offload['cxx']} -std=c++20 {offload['options']} -Wl,-rpath,{offload['runtime']} "
            "-o heat heat.cpp\n")
        program = ["./heat", "--variant", "naive", *RUNGS["heat"][1]]
        fix = [ompdm, "fix", "trace.json", "--build", "make", "--release", "--ignore", "solve time"]
        run(["make"], cwd=scratch)
        run([ompdm, "record", *program], cwd=scratch)
        text = run(fix, cwd=scratch).replace(f"{scratch}/", "./")
    typed = " ".join(f"'{word}'" if " " in str(word) else str(word) for word in ["ompdm", *fix[1:]])
    (folder / "heat-fix.txt").write_text(f"$ ompdm record {' '.join(program)}\n$ {typed}\n{text}")


def write_samples(ompdm, build, folder):
    write_quick_start(ompdm, build, folder)
    write_ladder(ompdm, build, folder)
    write_fix(ompdm, build, folder)


def write_quick_start(ompdm, build, folder):
    """The first lines of heat's report, to the end of its first finding, and those of its profile."""
    with tempfile.TemporaryDirectory() as scratch:
        shutil.copy(build / "bin/kernels/heat", scratch)
        run([ompdm, "record", "./heat", "--variant", "naive", *RUNGS["heat"][1]], cwd=scratch)
        lines = run([ompdm, "report", "trace.json"], cwd=scratch, env={**os.environ, "COLUMNS": "100"}).splitlines()
    profile = next(i for i, line in enumerate(lines) if line.lstrip().startswith("Type"))
    shown_lines = [*lines[:profile], *lines[profile:profile + 4], "..."]
    (folder / "quick-start.txt").write_text("\n".join(shown_lines) + "\n")


def keep(folder):
    """Copies the files of `folder` that are kept here too."""
    for kept in (HERE / folder.name).iterdir():
        if (folder / kept.name).exists():
            shutil.copyfile(folder / kept.name, kept)


def paste(check):
    """Each block between `<!-- from FILE -->` and `<!-- end -->` in README and docs is FILE's text."""
    def block(match):
        text = (HERE.parent / match.group(1)).read_text().rstrip("\n")
        body = text if match.group(1).endswith(".md") else f"```\n{text}\n```"
        return f"<!-- from {match.group(1)} -->\n{body}\n<!-- end -->"

    for page in [README, *sorted((HERE.parent / "docs").glob("*.md"))]:
        before = page.read_text()
        after = re.sub(r"<!-- from (\S+) -->\n.*?<!-- end -->", block, before, flags=re.S)
        if after != before and check:
            sys.exit(f"{page.name} differs from reports/: run reports/produce.py --paste")
        page.write_text(after)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?", type=pathlib.Path)
    parser.add_argument("--folder", default="host", help="subfolder of BUILD_DIR/reports (default: host)")
    parser.add_argument("--predictions", action="store_true", help="only predictions.md")
    parser.add_argument("--samples", action="store_true", help="only the samples in README and docs")
    parser.add_argument("--paste", action="store_true")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if options.build:
        build = options.build.resolve()
        folder = build / "reports" / options.folder
        folder.mkdir(parents=True, exist_ok=True)
        if options.predictions:
            predict(build, folder)
        elif options.samples:
            write_samples(build / "bin" / "ompdm", build, folder)
        else:
            produce(build, folder)
        keep(folder)
    elif not options.paste:
        parser.error("BUILD_DIR or --paste is needed")
    paste(options.check)


main()
