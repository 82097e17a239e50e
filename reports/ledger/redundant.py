#!/usr/bin/env python3
"""Recall by bytes against truth.csv. usage: redundant.py OUT.json [P] (P: the programs' folder, for transfers' check)

Of each program the share of the bytes that a reader of its source calls needless which the findings name: a truth row
(directive, variable, direction) is named by a finding that has its directive and its variable and whose pattern is of
its direction; a finding names at most its `wasted_bytes` in all, a row at most its bytes. Programs that were read and
have no row count as such (truth_programs.txt, truth_without.txt)."""
import collections
import csv
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
WAYS = {"unmodified_copy_back": {"from"}, "unread_copy_back": {"from"}, "overwritten_transfer": {"to"}}  # others: both
LIKELY, POSSIBLE = ("certain", "proven", "likely"), ("certain", "proven", "likely", "possible")


def named(report, truth, confidences):
    """Bytes of the truth's rows that findings of these confidences name."""
    directives = {row["id"]: "%s:%s" % (os.path.basename(row["file"]), row["line"]) for row in report["directives"]}
    variables = {row["id"]: row["name"] for row in report["variables"]}
    left = [row["bytes"] for row in truth]
    for finding in sorted(report["findings"], key=lambda f: -f["wasted_bytes"]):
        if finding["confidence"] not in confidences or not finding["wasted_bytes"]:
            continue
        room = finding["wasted_bytes"]
        where = {directives[key] for key in finding["directive_ids"] if key in directives}
        where.add("%s:%s" % (os.path.basename(finding["file"]), finding["line"]))
        what = {variables.get(key) for key in finding["variable_ids"]}
        for number, row in enumerate(truth):
            if row["where"] in where and row["variable"] in what and row["direction"] in WAYS.get(finding["pattern"], {"to", "from"}):
                take = min(room, left[number])
                room, left[number] = room - take, left[number] - take
    return sum(row["bytes"] for row in truth) - sum(left), left


def main():
    """A line a program, and the totals."""
    with open(sys.argv[1], encoding="utf-8") as file:
        rows = json.load(file)
    truth = collections.defaultdict(list)
    with open(os.path.join(HERE, "truth.csv"), encoding="utf-8") as file:
        for row in csv.DictReader(file):
            truth[row["program"]].append(dict(row, bytes=int(row["bytes"])))
    lines = []
    for name in sorted(truth):
        report = rows[name]["report"]
        total = sum(row["bytes"] for row in truth[name])
        likely, _ = named(report, truth[name], LIKELY)
        possible, left = named(report, truth[name], POSSIBLE)
        proven, _ = named(report, truth[name], ("certain", "proven"))
        lines.append((name, total, proven, likely, possible))
        missed = ["%s %s %s %d" % (row["where"].split(":")[-1], row["variable"], row["direction"], rest)
                  for row, rest in zip(truth[name], left) if rest * 20 > row["bytes"]]
        print("%-42s %13d proven %3.0f %% likely+ %3.0f %% possible+ %3.0f %%  missed: %s" % (
            name, total, 100 * proven / total, 100 * likely / total, 100 * possible / total, "; ".join(missed)[:150]))

    def sums(title, some):
        total = sum(line[1] for line in some)
        print("%-42s %13d proven %5.1f %% likely+ %5.1f %% possible+ %5.1f %%" % (
            (title, total) + tuple(100 * sum(line[k] for line in some) / total for k in (2, 3, 4))))
    sums("total of %d programs" % len(lines), lines)
    sums("without the five largest", sorted(lines, key=lambda line: -line[1])[5:])
    for k, title in ((2, "proven"), (3, "likely+"), (4, "possible+")):
        shares = sorted(line[k] / line[1] for line in lines)
        print("%-10s mean of the programs' shares %.1f %%, median %.1f %%, none named: %d" % (
            title, 100 * sum(shares) / len(shares), 100 * shares[len(shares) // 2], shares.count(0.0)))


if __name__ == "__main__":
    main()
