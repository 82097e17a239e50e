#!/usr/bin/env python3
"""Turns what ompdm-gpu/run left on a machine with a GPU into reports/gpu: a page of tables, every rung's report, and the
traces of the small sizes (`ompdm report --gpu-trace` lists their operations).

    reports/gpu.py RESULTS [--folder gpu]
"""
import argparse
import gzip
import json
import pathlib
import re
import statistics

HERE = pathlib.Path(__file__).resolve().parent


def read(path):
    return path.read_text(errors="replace") if path.exists() else ""


def own_time(text):
    """Seconds (or ns of a storm) that a program printed of itself."""
    found = re.search(r"time: *([0-9.]+)", text)
    return float(found[1]) if found else None


def shown(value, digits="{:.4g}"):
    return "" if value is None else digits.format(value)


def bandwidths(text):
    rows = {}
    for line in text.splitlines():
        words = line.split()
        if len(words) == 3 and words[0] != "copy":
            rows[words[0]] = (float(words[1]), float(words[2]))
    return rows


RUNGS = {
    "vadd": ["implicit", "mapped"],
    "pi": ["target", "parallel", "distribute", "nested", "combined", "loop"],
    "heat": ["naive", "data", "collapse", "optimized"],
    "jacobi": ["naive", "data", "branchless", "coalesced"],
}
# Every rung in the order of its ladder, the tutorials' sizes after the small ones.
NAMES = [f"{program}-{rung}{size}" for program, rungs in RUNGS.items() for size in ("", "-large") for rung in rungs]


def rung_rows(results):
    for name in NAMES:
        path = results / f"{name}.report.json"
        if path.exists():
            yield name, json.loads(path.read_text())


def rate(total):
    """GB/s of a totals entry, nothing where nothing moved."""
    return total["bytes"] / total["time_ns"] if total["time_ns"] else None


def clocks(report):
    return ", ".join(sorted({row["clock"] for row in report["activities"]}))


def ladder(results):
    lines = [
        "| rung | command | bare (s) | recorded (s) | HtoD calls | HtoD MB | HtoD GB/s | DtoH calls | DtoH MB | DtoH GB/s "
        "| kernels | kernel time (ms) | clock |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for name, report in rung_rows(results):
        totals = report["totals"]
        into, back, kernel = totals["HtoD"], totals["DtoH"], totals["kernel"]
        command = read(results / f"{name}.command.txt").strip().removeprefix("$ ompdm record -- ")
        lines.append(
            f"| [{name}]({name}.report.txt) | `{command}` "
            f"| {shown(own_time(read(results / f'{name}.bare.txt')))} "
            f"| {shown(own_time(read(results / f'{name}.program.txt')))} "
            f"| {into['count']} | {into['bytes'] / 1e6:.3f} | {shown(rate(into))} "
            f"| {back['count']} | {back['bytes'] / 1e6:.3f} | {shown(rate(back))} "
            f"| {kernel['count']} | {kernel['time_ns'] / 1e6:.3f} | {clocks(report)} |"
        )
    return lines


def meeting(results):
    """Whether the device's activities (CUPTI) meet OMPT's operations, and lie inside their regions: from the traces."""
    lines = [
        "| rung | operations | launches | activities | of them the runtime's own | missing | unequal bytes "
        "| inside their region | clock residual (ns) |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for name in NAMES:
        path = results / f"{name}.json.gz"
        if not path.exists():
            continue
        with gzip.open(path, "rt") as file:
            trace = json.load(file)
        events = trace["traceEvents"]
        recording = trace["otherData"]["recording"]
        losses = {loss["name"]: loss["count"] for loss in trace["otherData"]["losses"]}
        slack = (recording["clock_residual_ns"] + recording.get("cupti_residual_ns", 0)) / 1000
        regions = {event["bind_id"]: event for event in events if event.get("cat") == "region" and "bind_id" in event}
        moved = ("HtoD", "DtoH", "DtoD", "memset")
        operations = sum(event.get("cat") in moved and not event["args"].get("internal") for event in events)
        launches = sum(event.get("cat") == "launch" for event in events)
        activities = [event for event in events if event.get("cat", "").startswith("cupti.")]
        tied = [event for event in activities if event.get("bind_id") in regions]
        inside = 0
        for event in tied:
            region = regions[event["bind_id"]]
            begin, end = region["ts"] - slack, region["ts"] + region["dur"] + slack
            inside += begin <= event["ts"] and event["ts"] + event["dur"] <= end
        lines.append(
            f"| {name} | {operations} | {launches} | {len(activities)} "
            f"| {sum(bool(event['args'].get('internal')) for event in activities)} "
            f"| {losses.get('activities_missing', '')} | {losses.get('activities_unequal', '')} "
            f"| {inside} of {len(tied)} | {recording.get('cupti_residual_ns', '')} |"
        )
    return lines


def bare_times(results):
    return {name: own_time(read(results / f"{name}.bare.txt")) for name in NAMES if (results / f"{name}.bare.txt").exists()}


def naive_of(name):
    program, _, rest = name.partition("-")
    return f"{program}-naive" + ("-large" if rest.endswith("-large") else "")


def ratios(results):
    """How much faster each rung is than its program's naive one."""
    bare = bare_times(results)
    lines = ["| rung | bare (s) | times faster than naive |", "|---|---|---|"]
    for name, seconds in bare.items():
        naive = bare.get(naive_of(name))
        if naive and seconds:
            lines.append(f"| {name} | {seconds:.4g} | {naive / seconds:.2f} |")
    return lines


def predictions(results):
    """What the first finding of a naive rung calls needless, beside what the rung that follows the finding saved."""
    bare = bare_times(results)
    lines = ["| rung | copies called needless (ms) | saved by the rung `data` (ms) |", "|---|---|---|"]
    for name, report in rung_rows(results):
        after = bare.get(name.replace("-naive", "-data"))
        if "-naive" in name and report["findings"] and after:
            wasted = report["findings"][0]["wasted_ns"] / 1e6
            lines.append(f"| {name} | {wasted:.1f} | {(bare[name] - after) * 1e3:.1f} |")
    return lines


def stencils(results):
    """Bandwidth of heat's kernels: a step reads each point of one grid and writes each of the other once (8 bytes)."""
    lines = ["| rung | kernel (ms) | GB/s of 2 x 8 n^2 bytes |", "|---|---|---|"]
    for name, report in rung_rows(results):
        command = read(results / f"{name}.command.txt").split()
        kernel = report["totals"]["kernel"]
        if name.startswith("heat-") and kernel["count"]:
            each = kernel["time_ns"] / kernel["count"]
            lines.append(f"| {name} | {each / 1e6:.4g} | {16 * int(command[-2]) ** 2 / each:.4g} |")
    return lines


def costs(results):
    """Medians of the ratios of runs that stood next to each other."""
    runs = {}
    for line in read(results / "cost.txt").splitlines():
        words = line.split()
        if len(words) == 3:
            runs.setdefault(words[0], {}).setdefault(words[1], []).append(float(words[2]))
    lines = [
        "| program | bare | host clocks alone, ratio | with CUPTI, ratio | with CUPTI over host clocks alone |",
        "|---|---|---|---|---|",
    ]

    def ratio(above, below):
        pairs = [a / b for a, b in zip(above, below)]
        return f"{statistics.median(pairs):.3f} ({min(pairs):.3f} to {max(pairs):.3f})" if pairs else ""

    for name, how in runs.items():
        none, host, cupti = how.get("none", []), how.get("host", []), how.get("cupti", [])
        lines.append(
            f"| {name} | {statistics.median(none) if none else '':.4g} | {ratio(host, none)} | {ratio(cupti, none)} "
            f"| {ratio(cupti, host)} |"
        )
    return lines


def machine(results):
    """machine.txt, with the meaning of what nvidia-smi prints."""
    found = re.sub(
        r"^gpu: (.*), (.*), (.*), (.*), (.*)$", r"gpu: \1, driver \2, \3, PCIe \4 x\5", read(results / "machine.txt"), flags=re.M
    )
    return re.sub(r"^cupti: .*/", "cupti: the bundle's ", found, flags=re.M).rstrip()


def keep(path, folder):
    """Copies a file of the results; sources are named from the repository's root on."""
    root = str(HERE.parent) + "/"
    if path.suffix == ".gz":
        text = gzip.decompress(path.read_bytes()).decode().replace(root, "")
        (folder / path.name).write_bytes(gzip.compress(text.encode(), mtime=0))
    else:
        (folder / path.name).write_text(path.read_text(errors="replace").replace(root, ""))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("--folder", default="gpu")
    arguments = parser.parse_args()
    results, folder = arguments.results, HERE / arguments.folder
    folder.mkdir(exist_ok=True)

    page = ["# Every rung, on a GPU", ""]
    page += ["Measured by `ompdm-gpu/run` (`cmake --build --preset gpu`), put together by `reports/gpu.py`.", ""]
    page += ["```", machine(results), "```", ""]
    page += ["## The ladder", "", "Counts, bytes and GB/s are the report's, by the clock that the last column names.", "", *ladder(results), ""]
    page += ["## OMPT's operations and the device's activities", ""]
    page += ["An activity is a copy, kernel, memset or wait that CUPTI recorded. `missing` are operations without an activity,", "`unequal bytes` are operations whose activity has another size.", "", *meeting(results), ""]
    page += ["## Times faster than naive", "", *ratios(results), ""]
    page += ["## Predicted and measured", ""]
    page += ["The first finding of the naive rung gives the time of needless copies. The rung `data` saves that of allocations", "and of waits besides.", "", *predictions(results), ""]
    page += ["## Bandwidth of the stencil", "", *stencils(results), ""]
    limits = bandwidths(read(results / "bandwidth.txt"))
    if limits:
        page += ["## Bandwidth of link and memory", "", "`bandwidth`: 256 MiB, GB/s of ten copies. A copy within the device reads and writes each byte.", "", "| copy | best | median |", "|---|---|---|"]
        page += [f"| {name} | {best} | {median} |" for name, (best, median) in limits.items()] + [""]
    if read(results / "cost.txt"):
        page += ["## What recording costs", "", "The program's own time (s, storms in ns a construct): medians of ratios of neighbouring runs, with the least and the", "largest.", "", *costs(results), ""]
    (folder / "README.md").write_text("\n".join(page))
    for pattern in ("*.report.txt", "*.json.gz"):
        for path in results.glob(pattern):
            keep(path, folder)
    print(folder / "README.md")


main()
