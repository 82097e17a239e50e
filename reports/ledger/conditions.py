#!/usr/bin/env python3
"""Writes what the trace alone asks. usage: conditions.py BIN OUT.csv P

Of each P/NAME/trace.json `BIN/bin/ompdm report --source off --format json`, which is kept as P/NAME/off.json; a row of
each condition of each finding, or one without a word where it has none."""
import csv
import json
import os
import subprocess
import sys


def words(value, name=""):
    """Condition words of an `unless` entry: the word alone, or of a table its `condition`."""
    return value if isinstance(value, str) else value.get("condition") or value.get("kind") or name


def place(report, finding):
    """file:line of the finding's first directive."""
    rows = {row["id"]: row for row in report["directives"]}
    for key in finding.get("directive_ids", []):
        if key in rows:
            return "%s:%s" % (rows[key].get("file", ""), rows[key].get("line", ""))
    return ""


def names(report, finding):
    """The finding's variables, by name."""
    rows = {row["id"]: row.get("name", "") for row in report["variables"]}
    return " ".join(sorted({rows.get(key, "?") for key in finding.get("variable_ids", [])}))


def caveats(finding):
    """What else depends on the program's code: directives that the run did not reach, updates that are to be written
    where the host (or a kernel) uses or changes data, memory alone, and why a finding is possible only."""
    found = ["unreached"] if finding.get("unreached") else []
    found += sorted({"edit_" + edit["when"] for edit in finding["edits"] if edit["when"] not in ("always", "each_time")})
    found += ["memory_only"] if finding.get("allocated_bytes") and not finding.get("wasted_bytes") else []
    _, _, why = finding["evidence"].partition("Possible only, because ")
    return "; ".join(found + (["possible because " + why] if why else []))


def main():
    """One report a trace."""
    binary, out, programs = sys.argv[1:4]
    with open(out, "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow("program pattern confidence id where variables condition caveats wasted_bytes".split())
        for name in sorted(os.listdir(programs)):
            trace = os.path.join(programs, name, "trace.json")
            if not os.path.exists(trace):
                continue
            done = subprocess.run([os.path.join(binary, "bin/ompdm"), "report", "--source", "off", "--format", "json", trace],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
            if done.returncode:
                print(name, done.returncode, done.stderr.strip()[:200])
                continue
            report = json.loads(done.stdout)
            with open(os.path.join(programs, name, "off.json"), "w", encoding="utf-8") as kept:
                kept.write(done.stdout)
            for finding in report["findings"]:
                for word in [words(entry) for entry in finding.get("unless", [])] or [""]:
                    table.writerow([name, finding["pattern"], finding["confidence"], finding["id"], place(report, finding),
                                    names(report, finding), word, caveats(finding), finding.get("wasted_bytes", 0)])


if __name__ == "__main__":
    main()
