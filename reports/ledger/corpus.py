#!/usr/bin/env python3
"""Builds and records the programs of programs.json from a folder of checkouts; what exists is left as it is.

usage: corpus.py PROGRAMS.json SRC OUT OMPDM [--only WORD] [--again NAME] [--second] [--bin BIN] [--lib LIB] [--seconds 20]

SRC/OWNER+NAME are checkouts of the repositories at their commits, OUT/NAME/ gets program, trace.json and build.log, OMPDM is the recorder's
command, BIN the folder of clang-19, LIB that of its libomptarget.so. `second` records the other input as second.json. OUT/outcome.json says of each program how far it came."""
import argparse
import json
import os
import shlex
import subprocess
import time


def run(command, folder, log, seconds):
    """Exit status of a command of a list of words, its output behind the log; 124 where it takes too long."""
    with open(log, "a", encoding="utf-8") as out:
        out.write("$ cd %s; %s\n" % (folder, shlex.join(command)))
        out.flush()
        try:
            return subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
                                  timeout=seconds, check=False).returncode
        except subprocess.TimeoutExpired:
            return 124


def replace(folder, changes):
    """Makes sizes smaller in the checkout, once."""
    for file, old, new in changes:
        path = os.path.join(folder, file)
        with open(path, encoding="utf-8", errors="surrogateescape") as source:
            text = source.read()
        if old not in text and new not in text:
            raise SystemExit("%s: no %r" % (path, old))
        if old in text:
            with open(path, "w", encoding="utf-8", errors="surrogateescape") as source:
                source.write(text.replace(old, new))


OFFLOAD = ["-O2", "-g", "-fopenmp", "-fopenmp-targets=x86_64-pc-linux-gnu"]


def commands(row, folder, out, options):
    """The command that compiles each source; written as compile_commands.json too (for `report -p`)."""
    flags = shlex.split(row["flags"])
    rows = []
    for number, source in enumerate(row["sources"]):
        c = source.endswith(".c")
        own = [f for f in flags if not f.startswith("-l") and not (f.startswith("-std=") and ("++" in f) == c)]
        compiler = os.path.join(options.bin, "clang-19" if c else "clang++-19")
        rows.append({"directory": folder, "file": source, "arguments": [
            compiler, *OFFLOAD, "-w", *own, "-c", source, "-o", os.path.join(out, "%d.o" % number)]})
    with open(os.path.join(out, "compile_commands.json"), "w", encoding="utf-8") as file:
        json.dump(rows, file, indent=0)
    return [entry["arguments"] for entry in rows]


def build(row, folder, out, options):
    """Compiles each source and links; true if the program is there."""
    program, log = os.path.join(out, row["name"]), os.path.join(out, "build.log")
    replace(folder, row.get("replace", []))
    libraries = [f for f in shlex.split(row["flags"]) if f.startswith("-l")]
    objects = []
    for command in commands(row, folder, out, options):
        if run(command, folder, log, 300):
            return False
        objects.append(command[-1])
    failed = run([os.path.join(options.bin, "clang++-19"), *OFFLOAD, "-Wl,-rpath," + options.lib, *objects, "-o", program, "-lm", *libraries], folder, log, 300)
    for made in objects:
        os.remove(made)
    return not failed


def one(row, options):
    """Builds and records a program; what came of it."""
    folder = os.path.join(options.source, row["repository"].replace("/", "+"), row["folder"])
    out = os.path.join(options.out, row["name"])
    os.makedirs(out, exist_ok=True)
    program = os.path.join(out, row["name"])
    if not os.path.exists(program) and not build(row, folder, out, options):
        return "does not build"
    arguments = row["second_arguments"] if options.second else row["arguments"]
    if arguments is None:
        return "no second input"
    trace = os.path.join(out, "second.json" if options.second else "trace.json")
    if os.path.exists(trace):
        return "recorded"
    began = time.time()
    environment = "ulimit -s unlimited; OMP_NUM_THREADS=2 exec timeout -k 1 %d " % options.seconds
    command = environment + shlex.join([options.ompdm, "record", "-o", trace, program]) + " " + arguments
    status = run(["sh", "-c", command], folder, os.path.join(out, "run.log"), options.seconds + 30)
    with open(os.path.join(out, "run.log"), "a", encoding="utf-8") as log:
        log.write("status %d, %.1f s\n" % (status, time.time() - began))
    if not os.path.exists(trace):
        return "records nothing, status %d" % status
    if status in (124, 137):
        os.remove(trace)
        return "takes too long"
    return "recorded" if not status else "recorded, status %d" % status


def main():
    """Each program in turn."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("programs", "source", "out", "ompdm"):
        parser.add_argument(name, type=os.path.abspath)
    parser.add_argument("--only", default="")
    parser.add_argument("--again", default="")
    parser.add_argument("--second", action="store_true")
    parser.add_argument("--bin", default="")
    parser.add_argument("--lib", default="/usr/lib/llvm-19/lib")
    parser.add_argument("--seconds", type=int, default=20)
    options = parser.parse_args()
    with open(options.programs, encoding="utf-8") as file:
        rows = json.load(file)
    os.makedirs(options.out, exist_ok=True)
    path = os.path.join(options.out, "second.outcome.json" if options.second else "outcome.json")
    outcome = {}
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            outcome = json.load(file)
    for row in rows:
        name = row["name"]
        if options.only not in name or (name in outcome and name != options.again):
            continue
        outcome[name] = one(row, options)
        print(name, outcome[name], flush=True)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(outcome, file, indent=0)


if __name__ == "__main__":
    main()
