#!/usr/bin/python3
"""What frames of a page cost in Chromium, without a GPU.

usage: frames.py PAGE...                         writes a Markdown table
       frames.py --check OMPDM SYNTHETIC_TRACE   makes the largest page there is, and fails where nine of ten frames
                                                 of a way to move in it take more than 33 ms of script

For each page and each way to move in it the median, nine of ten and the longest of its frames: `script`, all that the
page itself does from a key on, in all drawings; `main thread`, that and what Chromium does with it there, both as time
of the processor, which a loaded machine hardly changes; and `shown`, on the wall's clock from the key to the frame
after the one that it changed, which has one wait for the screen in it at least (16.7 ms).
"""
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
import browser  # noqa: E402  (ends the program where there is none)

REPEATS = 3
MOST = 33
LARGEST = ["399000", "trace.json", "8", "2"]  # events, threads, devices
MOVES = {
    "all of it": ["Home"] * 20,
    "zooming in and out": ["Home"] + ["+"] * 24 + ["-"] * 24,
    "an eleventh, page by page": ["Home"] + ["+"] * 6 + ["PageUp"] * 6 + ["PageDown"] * 12,
    "a 130th, moving": ["Home"] + ["+"] * 12 + ["ArrowLeft"] * 10 + ["ArrowRight"] * 30,
}
PRESS = """
    const [canvas, key, done] = arguments;
    const began = performance.now();
    canvas.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true, cancelable: true}));
    requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - began)));"""


class Frames:
    """Ways to move in a page that is shown."""

    def __init__(self, driver):
        self.driver = driver
        self.timeline, self.variables = (driver.find_element("id", f"{name}-canvas")
                                         for name in ("timeline", "variables"))
        driver.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})

    def spent(self):
        metrics = self.driver.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
        seconds = {each["name"]: each["value"] for each in metrics}
        return seconds["ScriptDuration"], seconds["TaskDuration"]

    def press(self, keys, canvas=None):
        """Milliseconds of each key's frame: script, main thread, shown."""
        frames = []
        for key in keys:
            before = self.spent()
            shown = self.driver.execute_async_script(PRESS, canvas or self.timeline, key)
            frames.append([1e3 * (now - then) for now, then in zip(self.spent(), before)] + [shown])
        return frames

    def all(self):
        """Yields the name of each way to move, and its frames."""
        self.press(["Home"] * 20)  # until it is compiled
        for name, keys in MOVES.items():
            yield name, [frame for _ in range(REPEATS) for frame in self.press(keys)]
        self.press(["Home"])
        yield "choosing a variable", self.press(["ArrowDown"] + ["Enter"] * 20, self.variables)[1:]
        self.press(["Enter"], self.variables)
        yield "all of it, one variable chosen", self.press(["Home"] * 20)


def nine_of_ten(values):
    return sorted(values)[len(values) * 9 // 10]


def table(pages):
    print(f"{time.strftime('%Y-%m-%d')}, {platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} "
          "at the beginning. Milliseconds: median, nine of ten, longest.\n\n"
          "| page | moving | frames | script | main thread | shown |\n|---|---|---:|---|---|---|")
    for path in pages:
        size = f"{os.path.basename(path)}, {os.path.getsize(path) / 1e6:.1f} MB"
        with browser.opened(path) as driver:
            for name, frames in Frames(driver).all():
                columns = [f"{statistics.median(column):.1f}, {nine_of_ten(column):.1f}, {max(column):.1f}"
                           for column in zip(*frames)]
                print(f"| {size} | {name} | {len(frames)} | {' | '.join(columns)} |", flush=True)
    print(f"\nLoad at the end: {os.getloadavg()[0]:.1f}.")


def check(ompdm, synthetic_trace):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([synthetic_trace, "write", *LARGEST], cwd=folder, check=True)
        subprocess.run([ompdm, "report", "trace.json", "--format", "html", "-o", "report.html"], cwd=folder, check=True)
        with browser.opened(os.path.join(folder, "report.html")) as driver:
            script = {name: nine_of_ten([frame[0] for frame in frames]) for name, frames in Frames(driver).all()}
    for name, each in script.items():
        print(f"{name}: {each:.1f} ms")
    sys.exit(any(each > MOST for each in script.values()))


if len(sys.argv) == 4 and sys.argv[1] == "--check":
    check(*(pathlib.Path(each).resolve() for each in sys.argv[2:]))
elif len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
    table(sys.argv[1:])
else:
    sys.exit(__doc__)
