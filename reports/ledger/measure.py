#!/usr/bin/env python3
"""Asks a build of ompdm, with the sources, what it says of each trace. usage: measure.py BIN_DIR OUT.json [P] [--commands]

BIN_DIR/bin/ompdm (or BIN_DIR/ompdm), P the folder of the programs (beside this script: p). `.facts` beside a trace are
removed first. One report at a time; its seconds and peak memory (KiB, of the largest process) are kept with its JSON. `--commands` gives each report `-p` of the program's
compile_commands.json, which names the macros that debug information does not."""
import json
import os
import resource
import subprocess
import sys
import time


def report(binary, trace, options):
    """The report as JSON, with its seconds."""
    before = time.time()
    done = subprocess.Popen([binary, "report", "--source", "auto", *options, "--format", "json", trace],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    out, err = done.communicate()
    seconds = time.time() - before
    row = {"seconds": round(seconds, 3), "status": done.returncode, "stderr": err.decode(errors="replace").strip()}
    if not done.returncode:
        row["report"] = json.loads(out)
    return row


def child(binary, trace, options):
    """`report` in a process of its own, so that the peak is that of this report alone."""
    read, write = os.pipe()
    if not os.fork():
        row = report(binary, trace, options)
        row["peak_kib"] = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        with os.fdopen(write, "w") as out:
            json.dump(row, out)
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as text:
        row = json.load(text)
    os.wait()
    return row


def main():
    """Each program that has a trace."""
    arguments = [a for a in sys.argv[1:] if a != "--commands"]
    folder, out = arguments[:2]
    programs = arguments[2] if len(arguments) > 2 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "p")
    binary = os.path.join(folder, "bin/ompdm")
    binary = os.path.abspath(binary if os.path.exists(binary) else os.path.join(folder, "ompdm"))
    rows = {}
    for name in sorted(os.listdir(programs)):
        trace = os.path.join(programs, name, "trace.json")
        if not os.path.exists(trace):
            continue
        for file in os.listdir(os.path.dirname(trace)):
            if file.endswith(".facts"):
                os.remove(os.path.join(os.path.dirname(trace), file))
        options = ["-p", os.path.dirname(trace)] if "--commands" in sys.argv else []
        rows[name] = child(binary, trace, options)
        print("%-40s %6.2f s %5d MiB" % (name, rows[name]["seconds"], rows[name]["peak_kib"] // 1024), rows[name]["stderr"][:150].replace("\n", " | "), flush=True)
    with open(out, "w", encoding="utf-8") as file:
        json.dump(rows, file)


if __name__ == "__main__":
    main()
