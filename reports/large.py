#!/usr/bin/env python3
"""How long `ompdm fix` plans a program of 50 sources of 1,000 lines each, with the library's containers in each function.

usage: reports/large.py BUILD_DIR

Builds, records and plans it in a temporary folder, and prints the time that planning takes (a tenth of the sources has a
kernel). Figures are in reports/host/planning.md.
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import time

SOURCES, HELPERS = 50, 90

GRID = """#pragma once
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>
struct Grid {
  int n;
  std::vector<double> u, v;
  explicit Grid(int m) : n(m), u(m, 1.0), v(m, 0.0) {}
};
"""
HELPER = """double helper%d(const std::vector<double>& a, int k) {
  double sum = 0.0;
  for (std::size_t q = 0; q < a.size(); q += 97) {
    if (a[q] > %d.5) sum += std::sqrt(a[q] + k);
    else sum -= a[q] * %d;
  }
  std::map<int, double> cache;
  cache[k] = sum;
  return cache[k] + k;
}
"""
KERNEL = """  double* u = g.u.data();
  double* v = g.v.data();
  const int n = g.n;
#pragma omp target teams distribute parallel for map(tofrom: u[0:n], v[0:n])
  for (int k = 0; k < n; ++k) v[k] = u[k] * 0.5 + v[k];
"""


def source(number):
    helpers = "".join(HELPER % (i, i, i) for i in range(HELPERS))
    calls = "".join(f"  r += helper{i}(local, step + {i});\n" for i in range(HELPERS))
    return (f'#include "grid.h"\n#include <cmath>\n#include <iostream>\nnamespace {{\n{helpers}}}\n'
            f"double work{number}(Grid& g, int step) {{\n  double r = 0.0;\n  std::vector<double> local(100, step);\n{calls}"
            f"{KERNEL if number % 10 == 0 else ''}  return r;\n}}\n")


def main_source():
    declared = "".join(f"double work{i}(Grid& g, int step);\n" for i in range(SOURCES))
    calls = "".join(f"    r += work{i}(g, step);\n" for i in range(SOURCES))
    return (f'#include "grid.h"\n#include <cstdio>\n{declared}int main() {{\n  Grid g(100000);\n  double r = 0.0;\n'
            f"  for (int step = 0; step < 10; ++step) {{\n{calls}  }}\n  for (double x : g.v) r += x;\n"
            '  std::printf("%.6g\\n", r);\n}\n')


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: reports/large.py BUILD_DIR")
    build = pathlib.Path(sys.argv[1]).resolve()
    offload = json.loads((build / "offload.json").read_text())
    ompdm = build / "bin/ompdm"
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        (folder / "grid.h").write_text(GRID)
        (folder / "main.cpp").write_text(main_source())
        for number in range(SOURCES):
            (folder / f"work{number}.cpp").write_text(source(number))
        lines = sum(len(path.read_text().splitlines()) for path in folder.iterdir())
        flags = f"-std=c++17 -O0 -g -fopenmp {offload['options']}"
        (folder / "Makefile").write_text(
            f"CXX = {offload['cxx']}\nCXXFLAGS = {flags}\nSOURCES := $(wildcard *.cpp)\n"
            f"app: $(SOURCES:.cpp=.o)\n\t$(CXX) $(CXXFLAGS) -Wl,-rpath,{offload['runtime']} $^ -o $@\n")
        run = lambda *words: subprocess.run([str(word) for word in words], cwd=folder, check=True, text=True, capture_output=True)
        begin = time.monotonic()
        run("make", "-j2")
        built = time.monotonic() - begin
        run(ompdm, "record", "-o", "trace.json", "--", "./app")
        begin = time.monotonic()
        plans = json.loads(run(ompdm, "fix", "trace.json", "--plans").stdout)
        planned = time.monotonic() - begin
    made = sum(1 for one in plans if not one["plan"]["refused"])
    print(f"{lines} lines in {SOURCES + 1} sources: build {built:.0f} s, plans {planned:.0f} s ({made} of {len(plans)} made)")


main()
