#!/usr/bin/env python3
"""Tries each report's patch: applied, built, run on both inputs, and compared with the original.

usage: trial.py PROGRAMS.json SRC P BIN_DIR BIN LIB TRIAL [--commands]   (from the folder that holds SRC)

A line a program: bytes moved before and after, and whether all that the program prints is the same, numbers that differ
between two runs of the original left out."""
import argparse
import json
import os
import re
import subprocess
import sys

import corpus


def run(program, folder, arguments, record=None):
    """(exit status, output, bytes moved) of a run."""
    prefix = "ulimit -s unlimited; OMP_NUM_THREADS=2 exec timeout -k 1 30 "
    command = prefix + (record + " record -o /tmp/trial.json " if record else "") + program + " " + arguments
    done = subprocess.run(["sh", "-c", command], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=False)
    moved = None
    if record and os.path.exists("/tmp/trial.json"):
        text = subprocess.run([record, "report", "--source", "off", "--format", "json", "/tmp/trial.json"],
                              stdout=subprocess.PIPE, check=False).stdout
        os.remove("/tmp/trial.json")
        moved = sum(row["HtoD_bytes"] + row["DtoH_bytes"] for row in json.loads(text)["directives"]) if text else None
    return done.returncode, done.stdout.decode(errors="replace"), moved


def tokens(text):
    """Words of an output."""
    return re.split(r"(\s+)", re.sub(r"/\S*/", "/", text))


def differs(one, two, other):
    """What the other output has otherwise, where two runs of the original agree."""
    a, b, c = tokens(one), tokens(two), tokens(other)
    if len(a) != len(c):
        return "%d words instead of %d" % (len(c), len(a))
    return "; ".join("%r was %r" % (z, x) for x, y, z in zip(a, b, c) if x == y and x != z)[:120] if len(a) == len(b) else "?"


def main():
    """Each program with a patch."""
    programs, source, p, bindir, clang, lib, trial = sys.argv[1:8]
    ompdm = os.path.abspath(os.path.join(bindir, "bin/ompdm"))
    options = argparse.Namespace(bin=clang, lib=lib)
    with open(programs, encoding="utf-8") as file:
        rows = json.load(file)
    for row in rows:
        trace = os.path.abspath(os.path.join(p, row["name"], "trace.json"))
        patch = os.path.abspath(os.path.join(trial, row["name"] + ".patch"))
        os.makedirs(trial, exist_ok=True)
        command = [ompdm, "report", *(["-p", os.path.dirname(trace)] if "--commands" in sys.argv else []), "--patch", patch, trace]
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        if not os.path.exists(patch) or "@@" not in open(patch, encoding="utf-8", errors="replace").read():
            continue
        repository = row["repository"].replace("/", "+")
        root = os.path.join(trial, os.path.relpath(os.path.join(source, repository)))
        subprocess.run(["rm", "-rf", root], check=True)
        os.makedirs(os.path.dirname(root), exist_ok=True)
        subprocess.run(["cp", "-rl", os.path.join(source, repository), root], check=True)
        applied = subprocess.run(["patch", "-p1", "-s", "-i", patch], cwd=trial, check=False).returncode
        folder, out = os.path.abspath(os.path.join(root, row["folder"])), os.path.abspath(os.path.join(trial, "out", row["name"]))
        os.makedirs(out, exist_ok=True)
        changed = dict(row, replace=[])
        if applied or not corpus.build(changed, folder, out, options):
            print(row["name"], "patch does not apply" if applied else "does not build", flush=True)
            continue
        old, new = os.path.abspath(os.path.join(p, row["name"], row["name"])), os.path.join(out, row["name"])
        was = os.path.abspath(os.path.join(source, repository, row["folder"]))
        for number, arguments in enumerate([row["arguments"], row["second_arguments"]]):
            if arguments is None:
                continue
            one, two = run(old, was, arguments, ompdm), run(old, was, arguments)
            other = run(new, folder, arguments, ompdm)
            same = differs(one[1], two[1], other[1]) if one[0] == other[0] else "status %d instead of %d" % (other[0], one[0])
            print("%-36s input %d  %12s -> %12s bytes  %s" % (row["name"], number + 1, one[2], other[2], same or "same"), flush=True)


if __name__ == "__main__":
    main()
