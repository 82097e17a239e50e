#!/usr/bin/python3
"""How long the page's drawings take in Chromium: a benchmark, not a test.

usage: frames.py PAGE...    prints for each page its size, the time until it is drawn, and how many milliseconds
                            drawings took: median, nine of ten, longest; of all of the recording, and of 60
                            frames of zooming in, moving and zooming out
"""
import os
import statistics
import sys
import time

from browser import opened

WHOLE = "0" * 20
MOVING = "+" * 18 + "<>" * 12 + "-" * 18
KEYS = {"<": "ArrowLeft", ">": "ArrowRight", "0": "Home"}


def frames(driver, canvas, steps):
    """Milliseconds of each drawing while a reader presses these keys."""
    press = """
        const [canvas, key, done] = arguments;
        canvas.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true, cancelable: true}));
        requestAnimationFrame(() => requestAnimationFrame(() => done(Number(canvas.dataset.frame))));"""
    return [driver.execute_async_script(press, canvas, KEYS.get(step, step)) for step in steps]


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    for path in sys.argv[1:]:
        began = time.monotonic()
        with opened(path) as driver:
            ready = time.monotonic() - began
            print(f"{path}: {os.path.getsize(path) / 1e6:.2f} MB, shown after {ready:.2f} s")
            for name in ("timeline-canvas", "variables-canvas"):
                canvas = driver.find_element("id", name)
                for words, steps in (("all", WHOLE), ("moving", MOVING)):
                    times = sorted(frames(driver, canvas, steps))
                    print(f"  {name}, {words}: {statistics.median(times):.1f} ms, "
                          f"{times[len(times) * 9 // 10]:.1f} ms, {times[-1]:.1f} ms")


main()
