#!/usr/bin/env python3
"""A program of 100 directives, for the example pages: writes, builds and records it, and makes its page.

    reports/hundred.py BUILD_DIR PAGE.html

Ten models of ten fields each take time steps. Most fields stay on the device; some are mapped by each kernel, one is
updated more often than needed, and one that no kernel changes is copied back.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

MODELS = ["advection", "diffusion", "radiation", "chemistry", "clouds", "surface", "ocean", "ice", "aerosols", "output"]


def model(name, number):
    """A source file of ten kernels: the last three map their own arrays."""
    lines = ['#include "fields.h"', f"static double *work_{name};", f"void {name}_begin(fields *f) {{",
             f"  work_{name} = calloc(f->n, sizeof(double));", "}", f"void {name}(fields *f, int step) {{",
             "  int n = f->n;", f"  double *a = f->data[{number}], *b = f->data[{(number + 1) % 10}];",
             f"  double *w = work_{name};"]
    for kernel in range(9):
        clauses = "map(tofrom: a[0:n]) map(to: b[0:n])"
        if kernel == 7 and number % 2 == 0:
            clauses = "map(tofrom: w[0:n]) map(to: a[0:n])"
        left = "w" if "w[0:n]" in clauses else "a"
        right = "a" if left == "w" else "b"
        lines += [f"#pragma omp target teams distribute parallel for {clauses}",
                  f"  for (int i = 0; i < n; i++) {left}[i] = 0.9 * {left}[i] + 0.1 * {right}[i] + {kernel} * step;"]
    # Read by the host each tenth step, and updated in each.
    if number % 3 == 0:
        lines += ["#pragma omp target update from(a[0:n])", "  if (step % 10 == 0) f->sum += a[n / 2];"]
    else:
        lines += ["#pragma omp target teams distribute parallel for map(to: a[0:n]) map(from: w[0:n])",
                  "  for (int i = 0; i < n; i++) w[i] = a[i];", "  f->sum += w[step % n];"]
    return "\n".join(lines + ["}", ""])


def main():
    build, page = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    offload = json.loads((build / "offload.json").read_text())
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        (folder / "fields.h").write_text(
            "#include <stdio.h>\n#include <stdlib.h>\ntypedef struct { int n; double sum; double *data[10]; } fields;\n" +
            "".join(f"void {one}_begin(fields *f);\nvoid {one}(fields *f, int step);\n" for one in MODELS))
        for number, name in enumerate(MODELS):
            (folder / f"{name}.c").write_text(model(name, number))
        begins = "".join(f"  {one}_begin(&f);\n" for one in MODELS)
        steps = "".join(f"    {one}(&f, step);\n" for one in MODELS)
        (folder / "main.c").write_text(
            '#include "fields.h"\nint main(void) {\n  fields f = {.n = 20000};\n  for (int i = 0; i < 10; i++) {\n'
            "    f.data[i] = calloc(f.n, sizeof(double));\n    f.data[i][i] = i;\n"
            "    double *a = f.data[i];\n    int n = f.n;\n#pragma omp target enter data map(to: a[0:n])\n  }\n" + begins +
            "  for (int step = 0; step < 20; step++) {\n" + steps + "  }\n"
            '  printf("%g\\n", f.sum);\n  return 0;\n}\n')
        subprocess.run([offload["c"], *offload["options"].split(), f"-Wl,-rpath,{offload['runtime']}",
                        *sorted(one.name for one in folder.glob("*.c")), "-o", "climate"], cwd=folder, check=True)
        ompdm = build / "bin/ompdm"
        subprocess.run([ompdm, "record", "-o", "trace.json", "./climate"], cwd=folder, check=True)
        subprocess.run([ompdm, "report", "trace.json", "--format", "html", "-o", page], cwd=folder, check=True)


if __name__ == "__main__":
    main()
