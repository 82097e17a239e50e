#!/usr/bin/env python3
"""What crosses: directive, variable, direction, copies, bytes. usage: transfers.py BIN_DIR TRACE..."""
import csv
import io
import os
import subprocess
import sys


def table(binary, trace):
    """{(file:line, variable, to|from): [copies, bytes]} of a trace's copies between host and device."""
    text = subprocess.run([binary, "report", "--source", "off", "--gpu-trace", "--format", "csv", trace],
                          stdout=subprocess.PIPE, text=True, check=True).stdout
    rows = {}
    for row in csv.DictReader(io.StringIO(text)):
        kind, _, name = row["name"].partition("] ")
        way = {"[memcpy HtoD": "to", "[memcpy DtoH": "from"}.get(kind)
        if way:
            cell = rows.setdefault((row["directive"].rsplit(" ", 1)[0].split(" ")[0], name, way), [0, 0])
            cell[0] += 1
            cell[1] += int(row["bytes"])
    return rows


if __name__ == "__main__":
    for path in sys.argv[2:]:
        print("==", os.path.basename(os.path.dirname(os.path.abspath(path))))
        for (where, name, way), (copies, size) in table(os.path.join(sys.argv[1], "bin/ompdm"), path).items():
            print("  %-40s %-30s %-4s %6d x %d" % (where, name, way, copies, size))
