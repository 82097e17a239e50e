#!/usr/bin/python3
"""Pictures of heat's page, and of two of its rungs compared, by headless Chromium, into reports/FOLDER.

usage: page.py BUILD_DIR [FOLDER]    (part of `cmake --build --preset default --target reports`)

Where there is no Chromium the pictures that are here stay. Of several runs the shortest is shown: the others show what
else the machine did.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE.parent / "tests" / "page"))
try:
    import browser
except SystemExit:
    print("reports: the page's pictures stay as they are")
    sys.exit(0)

import png  # noqa: E402

ARGUMENTS = ["1000", "10"]
RUNS = 7
WIDTH = 1280
LARGEST = 150_000
# What a picture ends with: what is below is more of the same.
PICTURES = {"heat-page.png": (["naive"], "timeline"), "heat-compared.png": (["naive", "data"], "timeline")}
END = "return Math.ceil(document.getElementById(arguments[0]).getBoundingClientRect().bottom + window.scrollY) + 12"


def run(command, **options):
    done = subprocess.run(command, text=True, capture_output=True, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout}{done.stderr}")


def shortest(ompdm, kernels, rung, scratch):
    """The trace of the shortest of several runs."""
    walls = {}
    for number in range(RUNS):
        trace = scratch / f"{rung}{number}.json"
        run([ompdm, "record", "-o", trace, kernels / "heat", "--variant", rung, *ARGUMENTS])
        walls[json.loads(trace.read_text())["otherData"]["process"]["wall_ns"]] = trace
    return walls[min(walls)]


def picture(page, until, width=WIDTH, dark=False):
    """The page from its top to the end of a section, as a PNG."""
    with browser.opened(page, width=width, dark=dark) as driver:
        height = driver.execute_script(END, until)
        driver.execute_cdp_cmd("Emulation.setScrollbarsHidden", {"hidden": True})
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                               {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
        time.sleep(0.5)  # until it is drawn at this height
        text = driver.get_screenshot_as_base64()
        driver.get("data:text/html,")
        return png.with_palette(driver, text)


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    build = pathlib.Path(sys.argv[1]).resolve()
    folder = HERE / (sys.argv[2] if len(sys.argv) > 2 else "host")
    ompdm = build / "bin" / "ompdm"
    with tempfile.TemporaryDirectory() as name:
        scratch = pathlib.Path(name)
        rungs = {rung for shown, _ in PICTURES.values() for rung in shown}
        traces = {rung: shortest(ompdm, build / "bin" / "kernels", rung, scratch) for rung in sorted(rungs)}
        for file, (shown, until) in PICTURES.items():
            page = scratch / "page.html"
            run([ompdm, "compare" if len(shown) > 1 else "report", *(traces[rung] for rung in shown),
                 "--format", "html", "-o", page])
            drawn = picture(page, until)
            if len(drawn) > LARGEST:
                sys.exit(f"reports: {file} would have {len(drawn)} bytes, more than {LARGEST}")
            (folder / file).write_bytes(drawn)
            print(f"{file}: {len(drawn)} bytes")


if __name__ == "__main__":
    main()
