#!/usr/bin/env python3
"""How many of the frozen conditions a build settles. usage: score.py OUT.json [conditions.csv] [--list]

OUT.json is measure.py's. A row of conditions.csv with a word is a condition. A finding is found again by its id, else by
pattern, a directive (file:line) and a variable in common. Then its condition is
  no, yes    answered so by `answers`, and not in `unless`;
  refuted    the finding stands in `refuted`;
  proven     the finding is `proven` now, which has no condition left, though no answer names this one;
  open       in `unless`, or answered `unknown`;
  dropped    neither asked nor answered any more: counts as not settled;
  replaced   no such finding, but a `proven` one of another pattern about the same data: counts as not settled;
  lost       no such finding, and none in `refuted`: counts as not settled."""
import collections
import csv
import json
import os
import statistics
import sys

QUIET = ("serial_kernel", "small_transfers")


def places(report, finding):
    """file:line of all directives of a finding."""
    rows = {row["id"]: "%s:%s" % (row["file"], row["line"]) for row in report["directives"]}
    return {rows.get(key) for key in finding["directive_ids"]} | {"%s:%s" % (finding["file"], finding["line"])}


def again(report, row):
    """Findings, and whether refuted, that are the row's."""
    for same in (lambda f: f["id"] == row["id"],
                 lambda f: f["pattern"] == row["pattern"] and row["where"] in places(report, f) and
                 set(row["variables"].split()) & set(names(report, f))):
        found = [(f, key) for key in ("findings", "refuted") for f in report.get(key, []) if same(f)]
        if found:
            return found
    return []


def names(report, finding):
    """Names of a finding's variables."""
    rows = {row["id"]: row["name"] for row in report["variables"]}
    return [rows.get(key, "?") for key in finding["variable_ids"]]


def state(report, row):
    """What became of a condition."""
    found = again(report, row)
    if not found:
        same = any(f["confidence"] == "proven" and set(row["variables"].split()) <= set(names(report, f)) for f in report["findings"])
        return "replaced" if same else "lost"
    kept = [f for f, key in found if key == "findings"]
    if not kept:
        return "refuted"
    answers = [a["answer"] for f in kept for a in f.get("answers", []) if a["condition"] == row["condition"]]
    asked = any(row["condition"] in f["unless"] for f in kept)
    if "yes" in answers and "unknown" not in answers:
        return "yes"
    if asked or "unknown" in answers:
        return "open"
    if "no" in answers:
        return "no"
    return "proven" if all(f["confidence"] == "proven" for f in kept) else "dropped"


def table(title, states):
    """A line."""
    total = sum(states.values())
    settled = sum(states[key] for key in ("no", "yes", "refuted", "proven"))
    print("%-34s %4d of %4d settled (%3.0f %%)  %s" % (title, settled, total, 100 * settled / max(total, 1),
          " ".join("%s %d" % (key, states[key]) for key in ("no", "yes", "refuted", "proven", "open", "dropped", "replaced", "lost") if states[key])))


def main():
    """Prints the score."""
    arguments = [a for a in sys.argv[1:] if not a.startswith("--")]
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "conditions.csv")
    with open(arguments[0], encoding="utf-8") as file:
        rows = json.load(file)
    with open(arguments[1] if len(arguments) > 1 else beside, encoding="utf-8") as file:
        frozen = list(csv.DictReader(file))
    every, by_pattern, by_word = collections.Counter(), collections.defaultdict(collections.Counter), collections.defaultdict(collections.Counter)
    quiet = collections.Counter()
    for row in frozen:
        if not row["condition"]:
            continue
        report = rows.get(row["program"], {}).get("report")
        now = state(report, row) if report else "lost"
        every[now] += 1
        by_pattern[row["pattern"]][now] += 1
        by_word[row["condition"]][now] += 1
        quiet[now] += row["pattern"] not in QUIET
        if "--list" in sys.argv:
            print(now, row["program"], row["pattern"], row["where"], row["variables"], row["condition"])
    table("conditions", every)
    table("without " + ", ".join(QUIET), quiet)
    for key, value in sorted(by_pattern.items()) + sorted(by_word.items()):
        table("  " + key, value)
    count, wasted, before = collections.Counter(), collections.Counter(), collections.Counter()
    for report in (row["report"] for row in rows.values() if "report" in row):
        for finding in report["findings"]:
            if finding["pattern"] not in QUIET:
                count[finding["confidence"]] += 1
                wasted[finding["confidence"]] += finding["wasted_bytes"]
        count["refuted"] += len(report.get("refuted", []))
        wasted["refuted"] += sum(f["wasted_bytes"] for f in report.get("refuted", []))
    for key in {(row["program"], row["id"], row["confidence"], row["pattern"]) for row in frozen if row["pattern"] not in QUIET and row["id"]}:
        before[key[2]] += 1
    print("frozen findings without these:", dict(before))
    print("findings now:", {key: "%d (%.1f MB)" % (count[key], wasted[key] / 1e6) for key in ("certain", "proven", "likely", "possible", "refuted")})
    seconds = [row["seconds"] for row in rows.values()]
    print("seconds: median %.2f, most %.2f; peak memory: most %d MiB; failed: %s" % (statistics.median(seconds), max(seconds),
          max(row["peak_kib"] for row in rows.values()) // 1024, [name for name, row in rows.items() if row["status"]]))


if __name__ == "__main__":
    main()
