#!/usr/bin/env python3
"""scripts/lesson on the default build: every rung has its article, its page and a question, and so has the patch that
`ompdm fix` makes; no link leads nowhere."""
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


def check_fix(folder):
    """The patch is what a person writes as the next rung, and moves as much."""
    text = (folder / "index.html").read_text()
    shown = text[text.index("<h2>ompdm fix</h2>"):]
    assert "verified\nTogether: 296 MB of 320 MB are no longer transferred (3 instead of 40 transfers)" in shown, shown
    assert "# Verified by ompdm on these inputs" in shown, shown
    for line in ("+#pragma omp target enter data map(to: u[0:n * n], u_tmp[0:n * n])",
                 "+#pragma omp target exit data map(from: u[0:n * n]) map(release: u_tmp[0:n * n])"):
        assert f'<span class="plus">{line}</span>' in shown, shown
    for rung in ("naive, patched", "data, by hand"):
        assert f"<td>{rung}</td><td>16 MB</td><td>8 MB</td><td>3</td>" in shown, shown
    # It is asked before it is shown.
    assert shown.index("Where would you put the directives") < shown.index("+#pragma")
    assert tempfile.gettempdir() not in shown, shown


def check_without(script, build, scratch):
    """A build without ompdm-edit."""
    (scratch / "bin").mkdir()
    for name in ("ompdm", "kernels"):
        (scratch / "bin" / name).symlink_to(build / "bin" / name)
    done = subprocess.run([script, "-o", scratch / "lesson", "--build", scratch], text=True, capture_output=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("leaves out ompdm fix: ompdm-edit was not built") == 1, done.stdout
    assert Page(scratch / "lesson/index.html").count["article"] == 8


def main():
    script, build = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    has_fix = (build / "bin/ompdm-edit").exists()
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch) / "a lesson"
        done = subprocess.run([script, "-o", folder, "--build", build], text=True, capture_output=True)
        assert done.returncode == 0, done.stderr
        assert done.stdout.endswith(f"open {folder / 'index.html'}\n"), done.stdout
        index = Page(folder / "index.html")
        assert index.count["article"] == index.count["details"] == (9 if has_fix else 8), index.count
        for link in index.links + Page(folder / "first-report.html").links:
            assert (folder / link).is_file(), link
        text = (folder / "index.html").read_text()
        # What heat moves follows from its arguments.
        assert "160 MB to the device and 160 MB back, in 40 copies" in text
        assert "16 MB to the device and 8 MB back, in 3 copies" in text
        assert "Redundant here: 288 MB in 36 copies" in text
        if has_fix:
            check_fix(folder)
        left = {path.suffix for path in folder.iterdir()}
        assert left == {".html"}, left
        refused = subprocess.run([script, "-o", folder, "--build", scratch], text=True, capture_output=True)
        assert refused.returncode == 1 and "is not there: build it" in refused.stderr, refused.stderr
        if has_fix:
            check_without(script, build, pathlib.Path(scratch))


main()
