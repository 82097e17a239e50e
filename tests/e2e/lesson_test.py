#!/usr/bin/env python3
"""`ompdm lesson` on the default build. Every version has its article, its page and a question, and so has the patch that
`ompdm fix` makes; no link leads nowhere. Each exercise's start is no pass, and its solution is one. A ladder is made of a
folder of three sources. The students' edition has no answer and no solution."""
import html
import html.parser
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.links, self.count = [], {}
        self.feed(path.read_text())

    def handle_starttag(self, tag, attributes):
        self.count[tag] = self.count.get(tag, 0) + 1
        self.links += [value for name, value in attributes if name in ("href", "src") and not value.startswith("#")]


def ran(command, folder=None):
    return subprocess.run([str(word) for word in command], text=True, capture_output=True, cwd=folder)


def shown(text):
    """A page's text without its tags."""
    return html.unescape(re.sub(r"<[^>]*>", "", text))


def check_fix(text):
    """The patch is the edit that a person writes as the next version, and moves as much."""
    part = text[text.index("<h3>ompdm fix: naive</h3>"):]
    assert "verified\nTogether: 296 MB of 320 MB are no longer transferred (3 instead of 40 transfers)" in part, part
    assert "# Verified by ompdm on these inputs" in part, part
    for line in ("+#pragma omp target enter data map(to: u[0:n * n], u_tmp[0:n * n])",
                 "+#pragma omp target exit data map(from: u[0:n * n]) map(release: u_tmp[0:n * n])"):
        assert f'<span class="plus">{line}</span>' in part, part
    for rung in ("naive, patched", "data, by hand"):
        assert f"<td>{rung}</td><td>16 MB</td><td>8 MB</td><td>3</td>" in part, part
    # It is asked before it is part.
    assert part.index("Where would you put the directives") < part.index("+#pragma")
    assert tempfile.gettempdir() not in part, part


def check_lesson(ompdm, folder):
    # Named from the folder that it is in, as a user does.
    folder.parent.mkdir(exist_ok=True)
    done = ran([ompdm, "lesson", "heat", "product", "clauses", "-o", folder.name], folder.parent)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith(f"open {folder / 'index.html'}\n"), done.stdout
    index = Page(folder / "index.html")
    text = (folder / "index.html").read_text()
    has_fix = (ompdm.parent / "ompdm-edit").exists()
    assert index.count["article"] == 4 + 4 + 3 + has_fix, index.count
    # Each version shows its directives.
    for version in text.split("<article>")[1:]:
        assert version.startswith(("<h3>Exercise", "<h3>ompdm fix")) or "<span class=pragma>" in version, version
    for link in index.links + Page(folder / "first-report.html").links:
        assert (folder / link).is_file(), link
    # The bytes of heat and of the product follow from their arguments.
    plain = shown(text)
    assert "160 MB to the device, 160 MB to the host, in 40 copies" in plain
    assert "16 MB to the device, 8 MB to the host, in 3 copies" in plain
    assert "Redundant here: 288 MB in 36 copies" in plain
    assert "65.5 KB to the device, 32.8 KB to the host, in 12 copies" in plain
    assert "16.4 KB to the device, 8.19 KB to the host, in 3 copies" in plain
    # Each version but the first has its difference, of the code alone.
    for before in ("naive", "data", "collapse", "elements", "rows", "whole"):
        assert f"Difference to {before}</summary>" in text, before
    assert text.count("Difference to ") == 6 and "@@" not in text.split("ompdm fix: naive")[0], text
    assert '<span class="plus">+#pragma omp target enter data map(to : u[0 : n * n], u_tmp[0 : n * n])</span>' in text
    assert tempfile.gettempdir() not in text.replace(str(folder), ""), text
    assert "GAP" not in text and "// TODO: before the first step" in text
    if has_fix:
        check_fix(text)
    assert {path.suffix for path in folder.iterdir() if path.is_file()} == {".html"}, list(folder.iterdir())
    # The sources are beside the pages, and build by the line that is shown.
    assert (folder / "product/matrix.h").is_file() and (folder / "heat/heat.cpp").is_file()


def solutions(sources):
    """The lines that stand in solutions alone, and the answers of all ladders."""
    lines = {"target update from(s[0 : n])", "target update to(w[0 : 3])"}
    for path in sources.rglob("*.cpp"):
        for gap in re.findall(r"// GAP: .*\n((?:.*\n)*?)\s*// END\n", path.read_text()):
            lines |= {line.strip() for line in gap.splitlines()}
    answers = {row["answer"] for path in sources.rglob("*.toml") for row in tomllib.loads(path.read_text()).get("version", [])}
    assert len(lines) > 8 and len(answers) == 12, (lines, answers)
    return lines, answers


def check_students(ompdm, sources, folder):
    done = ran([ompdm, "lesson", "heat", "clauses", "--students", "-o", folder])
    assert done.returncode == 0, done.stderr
    files = {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}
    assert set(files) == {
        "index.html", "first-report.html", "heat-naive.html", "exercise-heat-heat/heat.cpp", "exercise-heat-heat/TASK.md",
        "exercise-clauses-clauses/clauses.cpp", "exercise-clauses-clauses/TASK.md"}, files.keys()
    lines, answers = solutions(sources)
    for name, text in files.items():
        plain = shown(text)
        for secret in [*lines, *answers, "solve_data", "solve_optimized", "GAP: ", "// END", tempfile.gettempdir()]:
            assert secret not in plain and secret not in text, (name, secret)
    index = Page(folder / "index.html")
    for link in index.links:
        assert (folder / link).is_file(), link
    text = files["index.html"]
    assert "how often would be enough?" in text and "// TODO: before the first step" in text and "Hints" in text
    assert "<td>optimized</td><td>16 MB</td>" in text and "#pragma omp target teams distribute parallel for" in text
    again = ran([ompdm, "lesson", "heat", "--students", "-o", folder])
    assert again.returncode == 1 and "has files already" in again.stderr, again.stderr


def check_exercises(ompdm, sources, scratch):
    """What is handed out is no pass, for the reason that its task tells; the solution is a pass."""
    exercises = {"heat": ("exercises/heat.cpp", "HtoD.count"), "jacobi": ("exercises/jacobi.cpp", "HtoD.bytes"),
                 "product": ("product/resident.cpp", "HtoD.count"), "clauses": ("exercises/clauses.cpp", "ompdm check")}
    for ladder, (solution, reason) in exercises.items():
        folder = scratch / f"exercise {ladder}"
        handed = ran([ompdm, "lesson", ladder, "--start", folder])
        assert handed.returncode == 0, handed.stderr
        task = (folder / "TASK.md").read_text()
        assert f"ompdm lesson {ladder} --grade" in task, task
        start = next(path for path in folder.glob("*.cpp"))
        graded = ran([ompdm, "lesson", ladder, "--grade", start])
        assert graded.returncode == 3 and "  passed  it builds" in graded.stdout, graded.stdout + graded.stderr
        assert any(line.startswith("  FAILED") and reason in line for line in graded.stdout.splitlines()), graded.stdout
        # A figure and its limit have units.
        if ladder == "product":
            assert "FAILED  HtoD.bytes is at most 16.4 KB\n          HtoD.bytes is 65.5 KB, the limit is 16.4 KB\n" in graded.stdout, graded.stdout
        # An instructor's solution, in the student's place.
        shutil.copy(sources / solution, start)
        graded = ran([ompdm, "lesson", ladder, "--grade", start])
        assert graded.returncode == 0 and "FAILED" not in graded.stdout, graded.stdout + graded.stderr
        again = ran([ompdm, "lesson", ladder, "--start", folder])
        assert again.returncode == 1 and "is there already" in again.stderr, again.stderr
    for text, told in (("int main() { return 0; }\n", "FAILED  it prints"), ("#include <cstdlib>\nint main() { abort(); }\n", "killed by signal 6")):
        wrong = scratch / "wrong.cpp"
        wrong.write_text(text)
        graded = ran([ompdm, "lesson", "heat", "--grade", wrong])
        assert graded.returncode == 3 and told in graded.stdout, graded.stdout + graded.stderr
    broken = scratch / "broken.cpp"
    broken.write_text("int main( {}\n")
    graded = ran([ompdm, "lesson", "heat", "--grade", broken])
    assert graded.returncode == 3 and "FAILED  it builds" in graded.stdout and "error:" in graded.stdout, graded.stdout


OWN = """#include <cstdio>
#include <vector>
int main() {
  std::vector<double> data(1000, 1.0);
  double* a = data.data();
%s  for (int step = 0; step < 5; ++step) {
#pragma omp target teams distribute parallel for map(%s: a[0:1000])
    for (int i = 0; i < 1000; ++i) a[i] += step;
  }
%s  std::printf("%%g\\n", a[7]);
}
"""


def check_own_ladder(ompdm, scratch):
    folder = scratch / "my versions"
    folder.mkdir()
    refused = ran([ompdm, "lesson", folder])
    assert refused.returncode == 1 and "--new" in refused.stderr, refused.stderr
    enter, leave = "#pragma omp target enter data map(to: a[0:1000])\n", "#pragma omp target exit data map(from: a[0:1000])\n"
    (folder / "1-naive.cpp").write_text(OWN % ("", "tofrom", ""))
    (folder / "2-entered.cpp").write_text(OWN % (enter, "tofrom", leave))
    (folder / "3-alloc.cpp").write_text(OWN % (f"  // GAP: send a\n{enter}  // END\n", "alloc", f"  // GAP: copy a back\n{leave}  // END\n"))
    made = ran([ompdm, "lesson", "--new", folder])
    assert made.returncode == 0, made.stderr
    written = ran([ompdm, "lesson", folder, "-o", scratch / "own"])
    assert written.returncode == 0, written.stderr
    text = (scratch / "own/index.html").read_text()
    assert "40 KB to the device, 40 KB to the host, in 10 copies" in shown(text)
    assert shown(text).count("8 KB to the device, 8 KB to the host, in 2 copies") == 2, text
    ladder = folder / "ladder.toml"
    with ladder.open("a") as more:
        more.write('[[exercise]]\nname = "alloc"\nsolution = "3-alloc.cpp"\ntask = "Keep a on the device."\n')
    written = ran([ompdm, "lesson", folder, "--students", "-o", scratch / "own class"])
    assert written.returncode == 0, written.stderr
    files = {path.name: path.read_text() for path in (scratch / "own class").rglob("*") if path.is_file()}
    assert sorted(files) == ["1-naive.cpp", "TASK.md", "alloc.cpp", "first-report.html", "index.html", "my versions-1-naive.html"], files
    assert "// TODO: send a\n" in files["alloc.cpp"]
    for text in files.values():
        # Not the answers, and no folder of the instructor.
        assert "enter data map(to: a[0:1000])" not in text or "ompdm.report/" in text, text
        assert "TODO: the answer" not in text and str(scratch) not in text, text
    # Its compiler is used, and --compiler is used instead of it.
    ladder.write_text('title = "x"\ncompiler = "no-such-compiler -g"\n[[version]]\nname = "a"\nsource = "1-naive.cpp"\n')
    refused = ran([ompdm, "lesson", folder, "-o", scratch / "unbuilt"])
    assert refused.returncode == 1 and "no-such-compiler -g 1-naive.cpp -o 1-naive ended with 127" in refused.stderr, refused.stderr
    refused = ran([ompdm, "lesson", folder, "-o", scratch / "unbuilt", "--compiler", "another -g"])
    assert refused.returncode == 1 and "another -g 1-naive.cpp" in refused.stderr, refused.stderr
    for wrong, told in (('tilte = "x"\n', "there is no key 'tilte'"), ("minutes = 'many'\n", "minutes has to be a number"),
                        ("compiler = ['clang++']\n", "compiler has to be a string"),
                        ('title = "x"\n', "neither a [[version]] nor an [[exercise]]"),
                        ('title = "x"\n[[version]]\nname = "a"\nsource = "none.cpp"\n', "none.cpp is not a file"),
                        ("title = \n", "line 1"),
                        ('title = "x"\nignore = "("\n[[version]]\nname = "a"\nsource = "1-naive.cpp"\n', "ignore: "),
                        (2 * '[[version]]\nname = "a"\nsource = "1-naive.cpp"\n', "title is missing"),
                        ('title = "x"\n' + 2 * '[[version]]\nname = "a"\nsource = "1-naive.cpp"\n', "several of the name a"),
                        ('title = "x"\n[[exercise]]\nname = "a"\ntask = ""\nsolution = "1-naive.cpp"\n', "students would get the solution"),
                        ('title = "x"\n[[exercise]]\nname = "a"\ntask = ""\nsolution = "3-alloc.cpp"\nfail_if = ["HtoD.count"]\n',
                         "fail_if: 'HtoD.count': write a figure"),
                        ('title = "x"\n[[exercise]]\nname = "a/b"\ntask = ""\nsolution = "1-naive.cpp"\n', "it names files")):
        ladder.write_text(wrong)
        refused = ran([ompdm, "lesson", folder])
        assert refused.returncode == 1 and told in refused.stderr, refused.stderr


def main():
    ompdm, sources = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch).resolve()
        check_lesson(ompdm, scratch / "a lesson")
        check_students(ompdm, sources, scratch / "a class")
        check_exercises(ompdm, sources, scratch)
        check_own_ladder(ompdm, scratch)
        refused = ran([ompdm, "lesson", "nothing"])
        assert refused.returncode == 1 and "one of heat, jacobi" in refused.stderr, refused.stderr


main()
