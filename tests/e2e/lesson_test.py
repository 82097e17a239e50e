#!/usr/bin/env python3
"""`ompdm lesson` on the default build. Every version has its article, its page and a question, and so has the patch that
`ompdm fix` makes; no link leads nowhere. The students' edition has the same figures, and no answer and no solution. Each
exercise's start and a partial solution fail, and so do programs that compute on the host; its solution and ompdm's own advice
suffice. A ladder is made of a folder of three sources. No folder is left where a lesson fails."""
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
    command = [ompdm, "lesson", "heat", "product", "clauses", "--students", "-o", folder.name]
    done = ran(command, folder.parent)
    assert done.returncode == 0, done.stderr
    assert f"open {folder / 'index.html'}\n" in done.stdout, done.stdout
    again = ran(command, folder.parent)
    assert again.returncode == 1 and "students has files already" in again.stderr, again.stderr
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
    assert "Redundant here: 288 MB of 320 MB, in 36 of 40 copies. The next version moves 24 MB in 3 copies." in plain
    # Each prediction has its bytes, and times where these tell anything.
    assert "<td>whole → resident</td><td>98.3 KB</td><td>41 KB</td><td>24.6 KB</td><td>–</td>" in text, text
    # The advice that a grade has to accept is what the report prints.
    advised = shown((folder / "product-whole.html").read_text())
    assert all(line in advised for line in EXERCISES["product"][3]), advised
    assert "The versions of a program compute the same." in plain and "Each time is that of the shortest run." in plain
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
    # The sources that the pages show are beside them, and no others.
    names = lambda of: sorted(path.name for path in (folder / of).rglob("*"))
    assert names("heat") == ["arguments.h", "heat.cpp"] and "matrix.h" in names("product"), (names("heat"), names("product"))


def solutions(sources):
    """The lines that stand in solutions alone, and the answers of all ladders."""
    lines = {"target update from(s[0 : n])", "target update to(w[0 : 3])"}
    for path in sources.rglob("*.cpp"):
        for gap in re.findall(r"// GAP: .*\n((?:.*\n)*?)\s*// END\n", path.read_text()):
            lines |= {line.strip() for line in gap.splitlines()}
    ladders = [tomllib.loads(path.read_text()) for path in sources.rglob("*.toml")]
    rows = [row for ladder in ladders for row in [*ladder.get("version", []), ladder.get("fix", {})]]
    answers = {row[key] for row in rows for key in ("answer", "gap") if key in row}
    assert len(lines) > 8 and len(answers) >= 12, (lines, answers)
    return lines, answers


def check_students(sources, folder):
    files = {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}
    assert set(files) == {
        "index.html", "first-report.html", "heat-naive.html", "exercise-heat-heat/heat.cpp", "exercise-heat-heat/TASK.md",
        "exercise-clauses-clauses/clauses.cpp", "exercise-clauses-clauses/TASK.md", "product-elements.html",
        "product/elements.cpp", "product/matrix.h", "exercise-product-resident/resident.cpp",
        "exercise-product-resident/matrix.h", "exercise-product-resident/TASK.md"}, files.keys()
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
    assert "#pragma omp target teams distribute parallel for" in text
    # Both editions have the figures of one recording, and each version its question.
    tables = lambda page: re.findall(r"<tr><td>(?:naive|data|collapse|optimized|elements|rows|whole|resident)</td>.*?</tr>", page)
    assert set(tables(text)) == set(tables((folder.parent / "index.html").read_text())) and len(set(tables(text))) == 8, text
    assert "Does the first content of u_tmp matter?" in text and "Both grids are sent before the loop, and one is" in text
    # The compiler is named as a student types it.
    for name in ("index.html", "exercise-heat-heat/TASK.md"):
        assert not re.search(r"/\S*clang\+\+", shown(files[name])), files[name]


# Of each exercise its solution, the reason why its start fails, and pairs of directives in place of its two gaps: a partial
# solution, and what `ompdm report` advises.
EXERCISES = {
    "heat": ("exercises/heat.cpp", "HtoD.count", ("enter data map(to: u[0:n * n])", "exit data map(from: u[0:n * n])"),
             ("enter data map(to: next[0:n * n], u[0:n * n])", "exit data map(from: next[0:n * n], u[0:n * n])")),
    "jacobi": ("exercises/jacobi.cpp", "HtoD.bytes", ("enter data map(to: a[0:n * n], b[0:n])", "exit data map(release: a[0:n * n], b[0:n])"),
               ("enter data map(to: a[0:n * n], b[0:n], x[0:n], x_new[0:n])",
                "exit data map(from: x[0:n], x_new[0:n]) map(release: a[0:n * n], b[0:n])")),
    "product": ("product/resident.cpp", "HtoD.bytes", ("enter data map(to: b[0:n * n])", "exit data map(release: b[0:n * n])"),
                ("enter data map(to: a[0:n * n], b[0:n * n], c[0:n * n])", "exit data map(from: a[0:n * n], c[0:n * n]) map(release: b[0:n * n])")),
    "clauses": ("exercises/clauses.cpp", "ompdm check", None, None),
}


def graded(ompdm, ladder, source, text, fails_with=""):
    """Grades a text; it has to fail with these words, or to pass."""
    source.write_text(text)
    done = ran([ompdm, "lesson", ladder, "--grade", source])
    told = done.stdout + done.stderr
    assert done.returncode == (3 if fails_with else 0) and ("FAILED" in told) == bool(fails_with), told
    assert not fails_with or any("FAILED" in line and fails_with in line for line in told.splitlines()) or f"          {fails_with}" in told, told
    return told


def check_exercises(ompdm, sources, scratch):
    for ladder, (solution, reason, partial, advice) in EXERCISES.items():
        folder = scratch / f"exercise {ladder}"
        handed = ran([ompdm, "lesson", ladder, "--start", folder])
        assert handed.returncode == 0, handed.stderr
        task = (folder / "TASK.md").read_text()
        assert f"ompdm lesson {ladder} --grade" in task and task.index("ompdm check") < task.index("ompdm record"), task
        source = next(path for path in folder.glob("*.cpp"))
        start = source.read_text()
        told = graded(ompdm, ladder, source, start, reason)
        assert "  passed  it builds" in told, told
        # A figure and its limit have units.
        if ladder == "product":
            assert "FAILED  HtoD.bytes is at most 25 KB\n          HtoD.bytes is 65.5 KB, the limit is 25 KB\n" in told, told
        filled = lambda pair: re.sub(r"// TODO: .*", lambda _, lines=iter(pair): f"\n#pragma omp target {next(lines)}", start)
        if partial:
            graded(ompdm, ladder, source, filled(partial), reason)
            graded(ompdm, ladder, source, filled(advice))
        else:
            graded(ompdm, ladder, source, start.replace("to : w[0 : 2]", "to : w[0 : 3]").replace("map(to : s", "map(tofrom : s"), "it prints")
        graded(ompdm, ladder, source, (sources / solution).read_text())
        again = ran([ompdm, "lesson", ladder, "--start", folder])
        assert again.returncode == 1 and "is there already" in again.stderr, again.stderr
        if ladder == "heat":
            check_cheats(ompdm, scratch / "wrong.cpp", start)


def check_cheats(ompdm, wrong, start):
    """Programs that are graded without work on the device, and programs that do not end well."""
    empty = "#pragma omp target\n    {}\n"
    told = graded(ompdm, "heat", wrong, f"""#include <cstdio>
int main() {{
  for (int i = 0; i < 10; ++i) {{
{empty}  }}
  std::puts("heat in the grid: 670.591791");
}}
""", "it prints the solution's results with 300 7")
    assert "passed  it prints the solution's results\n" in told and "FAILED  HtoD.bytes is at least 2 MB" in told, told
    host = re.sub(r"#pragma omp target teams distribute parallel for.*\n.*\n", f"{empty}#pragma omp parallel for\n", start)
    told = graded(ompdm, "heat", wrong, host, "HtoD.bytes is at least 2 MB")
    assert "passed  it prints the solution's results with 300 7" in told and "passed  kernel.count" in told, told
    graded(ompdm, "heat", wrong, "int main( {}\n", "it builds")
    ending = "#include <csignal>\n#include <cstdio>\nint main() { %s }\n"
    for text, fails_with in (("", "it prints"),
                             ("raise(SIGSEGV);", "it was killed by signal 11 (SIGSEGV): `ompdm check` shows accesses"),
                             ('for (;;) puts("for ever, and ever, and ever");', "it printed or wrote more than 256 MB")):
        graded(ompdm, "heat", wrong, ending % text, fails_with)


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
    files = {path.name: path.read_text() for path in (scratch / "own class/students").rglob("*") if path.is_file()}
    assert "Your instructor grades it" in files["TASK.md"] and "--grade" not in files["TASK.md"], files["TASK.md"]
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


def check_refusals(ompdm, scratch):
    """A lesson that would be wrong is an error, and leaves no folder."""
    folder, lesson = scratch / "wrong versions", scratch / "wrong lesson"
    folder.mkdir()
    enter, leave = "// GAP: send a\n#pragma omp target enter data map(to: a[0:1000])\n// END\n", "#pragma omp target exit data map(from: a[0:1000])\n"
    (folder / "one.cpp").write_text(OWN % ("", "tofrom", ""))
    (folder / "two.cpp").write_text((OWN % (enter, "tofrom", leave)).replace("a[i] += step", "a[i] += 2 * step"))
    versions = '[[version]]\nname = "one"\nsource = "one.cpp"\n[[version]]\nname = "two"\nsource = "two.cpp"\n'
    exercise = '[[exercise]]\nname = "two"\nsolution = "two.cpp"\ntask = "Send a."\nfail_if = ["%s"]\n'
    for text, told in (
            (versions, "two does not print what one prints: line 1 is '21', and that of one is '11'"),
            (exercise % "HtoD.bytes < 16KB", "the solution itself fails the gate 'HtoD.bytes < 16KB': HtoD.bytes is 8 KB, the limit is 16 KB"),
            (exercise % "HtoD.cuont > 2", "fails the gate 'HtoD.cuont > 2': 'HtoD.cuont': no such number in the report: did you mean HtoD.count?"),
            (f"build = \"echo \\\"fatal error: 'omp.h' file not found\\\"; false\"\n{versions}", "install libomp-N-dev")):
        (folder / "ladder.toml").write_text(f'title = "x"\n{text}')
        refused = ran([ompdm, "lesson", folder, "-o", lesson])
        assert refused.returncode == 1 and told in refused.stderr and not lesson.exists(), refused.stderr
    (folder / "ladder.toml").write_text(f'title = "x"\nsame = false\n{versions}{exercise % "HtoD.bytes < 8KB"}')
    made = ran([ompdm, "lesson", folder, "-o", lesson])
    assert made.returncode == 0 and "compute the same" not in (lesson / "index.html").read_text(), made.stderr


def main():
    ompdm, sources = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch).resolve()
        check_lesson(ompdm, scratch / "a lesson")
        check_students(sources, scratch / "a lesson/students")
        check_exercises(ompdm, sources, scratch)
        check_own_ladder(ompdm, scratch)
        check_refusals(ompdm, scratch)
        refused = ran([ompdm, "lesson", "nothing"])
        assert refused.returncode == 1 and "one of heat, jacobi" in refused.stderr, refused.stderr


main()
