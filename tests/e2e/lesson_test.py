#!/usr/bin/env python3
"""scripts/lesson on the default build: every rung has its article, its page and a question; no link leads nowhere."""
import html.parser
import pathlib
import subprocess
import sys
import tempfile


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.links, self.count = [], {}
        self.feed(path.read_text())

    def handle_starttag(self, tag, attributes):
        self.count[tag] = self.count.get(tag, 0) + 1
        self.links += [value for name, value in attributes if name in ("href", "src")]


def main():
    script, build = sys.argv[1:]
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch) / "a lesson"
        done = subprocess.run([script, "-o", folder, "--build", build], text=True, capture_output=True)
        assert done.returncode == 0, done.stderr
        assert done.stdout.endswith(f"open {folder / 'index.html'}\n"), done.stdout
        index = Page(folder / "index.html")
        assert index.count["article"] == index.count["details"] == 8, index.count
        for link in index.links + Page(folder / "first-report.html").links:
            assert (folder / link).is_file(), link
        text = (folder / "index.html").read_text()
        # What heat moves follows from its arguments.
        assert "160 MB to the device and 160 MB back, in 40 copies" in text
        assert "16 MB to the device and 8 MB back, in 3 copies" in text
        assert "Needless here: 288 MB in 36 copies" in text
        left = {path.suffix for path in folder.iterdir()}
        assert left == {".html"}, left
        refused = subprocess.run([script, "-o", folder, "--build", scratch], text=True, capture_output=True)
        assert refused.returncode == 1 and "is not there: build it" in refused.stderr, refused.stderr


main()
