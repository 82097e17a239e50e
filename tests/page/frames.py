#!/usr/bin/python3
"""How long frames of a page take in Chromium: a benchmark, not a test.

usage: frames.py PAGE...    writes a Markdown table: for each page and each way to move in it the median, nine of ten
                            and the longest of its frames. `script` is all that the page does in a frame, in all
                            drawings; `shown` the time from a key to the frame after the one that it changed, which has
                            in it that Chromium draws (without a GPU), and at least one wait for the screen's next
"""
import os
import platform
import statistics
import sys
import time

from browser import opened

REPEATS = 3
MOVES = {
    "all of it": ["Home"] * 20,
    "zooming in and out": ["Home"] + ["+"] * 24 + ["-"] * 24,
    "an eleventh, page by page": ["Home"] + ["+"] * 6 + ["PageUp"] * 6 + ["PageDown"] * 12,
    "a 130th, moving": ["Home"] + ["+"] * 12 + ["ArrowLeft"] * 10 + ["ArrowRight"] * 30,
}
PRESS = """
    const [canvas, key, done] = arguments;
    const all = [...document.querySelectorAll('canvas')];
    for (const each of all) each.dataset.frame = 0;
    const began = performance.now();
    canvas.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true, cancelable: true}));
    const handled = performance.now() - began;
    requestAnimationFrame(() => requestAnimationFrame(() => done(
        [handled + all.reduce((sum, each) => sum + Number(each.dataset.frame), 0), performance.now() - began])));"""


def line(words, name, times):
    """A row of the table. `times`: of each frame its script and until it was shown."""
    columns = []
    for values in zip(*times):
        values = sorted(values)
        columns += [statistics.median(values), values[len(values) * 9 // 10], values[-1]]
    return f"| {words} | {name} | {len(times)} | " + " | ".join(f"{each:.1f}" for each in columns) + " |"


def measure(path):
    """Prints a page's rows."""
    size = f"{os.path.basename(path)}, {os.path.getsize(path) / 1e6:.1f} MB"
    with opened(path) as driver:
        timeline, variables = (driver.find_element("id", f"{name}-canvas") for name in ("timeline", "variables"))

        def press(keys, canvas=timeline):
            return [driver.execute_async_script(PRESS, canvas, key) for key in keys]

        press(["Home"] * 20)
        for name, keys in MOVES.items():
            print(line(size, name, [frame for _ in range(REPEATS) for frame in press(keys)]), flush=True)
        press(["Home"])
        print(line(size, "choosing a variable", press(["ArrowDown"] + ["Enter"] * 20, variables)[1:]))
        press(["Enter"], variables)
        print(line(size, "all of it, one variable chosen", press(["Home"] * 20)), flush=True)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    load = os.getloadavg()
    print(f"{time.strftime('%Y-%m-%d')}, {platform.machine()}, {os.cpu_count()} cores, load {load[0]:.1f}\n\n"
          "| page | moving | frames | script: median, ms | nine of ten | longest | shown: median, ms | nine of ten | longest |\n"
          "|---|---|---|---|---|---|---|---|---|")
    for path in sys.argv[1:]:
        measure(path)
    print(f"\nload at the end {os.getloadavg()[0]:.1f}")


main()
