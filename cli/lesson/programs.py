"""The programs of a ladder: how they are built, run and recorded."""
import functools
import json
import os
import pathlib
import re
import resource
import shlex
import shutil
import signal
import subprocess
import tempfile
import time

from lesson import PREFIX, Failure
from lesson.pages import size

OLDEST = 19  # of clang: its runtime tells transfers by OMPT
MOST_WRITTEN, MOST_READ = 256_000_000, 1 << 20  # bytes of a file that a student's program writes, and of its output
RUNS, SECONDS_OF_RUNS = 3, 4  # of a version


def ended(command, folder=None, why=""):
    """Runs a command and returns what it prints. Throws Failure unless it exits with 0."""
    done = subprocess.run([str(word) for word in command], text=True, errors="replace", capture_output=True, cwd=folder)
    if done.returncode != 0:
        raise Failure(f"{why or shlex.join(map(str, command))} ended with {done.returncode}:\n{done.stdout}{done.stderr}".rstrip())
    return done.stdout


def bounded(command, folder, seconds):
    """Runs a student's program, and ends it with all that it started after that many seconds, or where it writes a file that
    is larger than MOST_WRITTEN. Returns its exit status, which is None if it took too long, and the begin of its output."""
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (MOST_WRITTEN, MOST_WRITTEN))
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen([str(word) for word in command], cwd=folder, start_new_session=True, preexec_fn=limit,
                                   stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        try:
            status = process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            status = None
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
        texts = []
        for stream in (out, err):
            stream.seek(0)
            texts.append(stream.read(MOST_READ).decode(errors="replace"))
    return status, texts[0], texts[1]


def how_it_ended(status, seconds):
    """A sentence on an exit status as `ompdm record` gives it."""
    if status is None:
        return f"it was ended after {seconds} s: does a loop never end?"
    number = -status if status < 0 else status - 128
    if number == signal.SIGXFSZ:
        return f"it printed or wrote more than {size(MOST_WRITTEN)}, the limit: does a loop never end?"
    if 0 < number < signal.NSIG:
        advice = ": `ompdm check` shows accesses outside of a section" if number in (signal.SIGSEGV, signal.SIGBUS) else ""
        return f"it was killed by signal {number} ({signal.Signals(number).name}){advice}"
    return f"its exit status is {status}"


@functools.cache
def found_compiler():
    """A compiler for host devices: that of the build folder, or the newest clang++ in PATH."""
    of_build = PREFIX / "offload.json"
    if of_build.is_file():
        offload = json.loads(of_build.read_text())
        return f"{shlex.quote(offload['cxx'])} {offload['options']} -Wl,-rpath,{shlex.quote(offload['runtime'])}"
    found = sorted(((version_of(name), name) for name in ("clang++", *(f"clang++-{n}" for n in range(OLDEST, 40)))
                    if shutil.which(name)), key=lambda one: one[0])
    if found and found[-1][0] >= OLDEST:
        name = found[-1][1]
        machine = ended([name, "-dumpmachine"]).strip()
        runtime = pathlib.Path(ended([name, "-print-resource-dir"]).strip()).parent.parent
        return f"{name} -O2 -g -fopenmp -fopenmp-targets={machine} -Wl,-rpath,{runtime}"
    told = f"{found[-1][1]} is version {found[-1][0]}" if found else "there is no clang++ in PATH"
    raise Failure(f"{told}, and clang++ {OLDEST} or newer is needed: install one, or name a compiler and its options with "
                  "--compiler 'clang++ -O2 -g -fopenmp -fopenmp-targets=x86_64-pc-linux-gnu'")


def version_of(name):
    """The first number of a compiler's version; 0 if it tells none."""
    found = re.search(r"version (\d+)", subprocess.run([name, "--version"], text=True, capture_output=True).stdout)
    return int(found[1]) if found else 0


def elsewhere(compiler):
    """A found compiler as it is typed on another machine, without the folders of this one."""
    name, *options = shlex.split(compiler)
    name = pathlib.Path(name).name
    kept = (word for word in options if not word.startswith("-Wl,-rpath,"))
    return f'{name} {" ".join(kept)} -Wl,-rpath,"$({name} -print-resource-dir)/../.."'


def build_line(ladder, source, program, compiler, for_students=False):
    """The command that builds a source of the ladder, as a reader types it in the ladder's folder. The compiler is the one
    of the command's options, the ladder's, or one that is found: students have another machine."""
    if "build" in ladder.table:
        return ladder.table["build"].replace("{source}", shlex.quote(source)).replace("{program}", shlex.quote(program))
    words = compiler or ladder.table.get("compiler") or (elsewhere(found_compiler()) if for_students else found_compiler())
    if source.endswith(".c"):
        words = re.sub(r"clang\+\+", "clang", words, count=1)
    flags = ladder.table.get("flags", "")
    return " ".join(filter(None, [words, flags, shlex.quote(source), "-o", shlex.quote(program)]))


def version_commands(ladder, row, compiler, for_students=False):
    """The commands that build, record and report a version, beside the folder of the ladder's sources."""
    source = ladder.source_of(row)
    program = pathlib.Path(source).stem
    run = shlex.join([f"./{program}", *ladder.arguments_of(row)])
    return (f"cd {ladder.name}\n{build_line(ladder, source, program, compiler, for_students)}\n"
            f"ompdm record -o {row['name']}.json -- {run}\nompdm report {row['name']}.json")


def needed_files(ladder):
    """The files of a ladder's folder that its versions need: their sources, and what these, the options and the arguments
    name. With a build command of the ladder's, all of them."""
    paths = [path for path in sorted(ladder.folder.rglob("*")) if path.is_file() and path.suffix != ".toml"
             and not any(part.startswith(".") or part == "exercises" for part in path.relative_to(ladder.folder).parts)]
    names = [str(path.relative_to(ladder.folder)) for path in paths]
    if "build" in ladder.table:
        return names
    opened = {ladder.source_of(row) for row in ladder.versions}
    for row in ladder.versions:
        opened |= named(names, [*ladder.arguments_of(row), *shlex.split(ladder.table.get("flags", ""))])
    found = set()
    while opened:
        name = opened.pop()
        found.add(name)
        text = (ladder.folder / name).read_text(errors="replace")
        opened |= named(names, re.findall(r'["<]([^"<>\n]+)[">]', text)) - found
    return sorted(found)


def named(names, words):
    last = {word.rpartition("/")[2] for word in words}
    return {name for name in names if name.rpartition("/")[2] in last}


class Workshop:
    """A copy of a ladder's folder, where its programs are built and run."""

    def __init__(self, ladder, scratch, compiler):
        self.ladder, self.compiler, self.built = ladder, compiler, {}
        self.folder = pathlib.Path(scratch).resolve() / "src"
        self.folder.parent.mkdir(parents=True, exist_ok=True)
        shutil.copytree(ladder.folder, self.folder, ignore=shutil.ignore_patterns(".*", "*.json", "*.o", "lesson"))

    def build(self, source):
        """Builds a source and returns the program's path."""
        if source not in self.built:
            program = pathlib.Path(source).stem
            # A folder may have the name of a program, as the folder of a ladder's other sources has.
            where = self.folder / program
            if where.is_dir():
                program += ".x"
            line = build_line(self.ladder, source, program, self.compiler)
            try:
                ended(["sh", "-c", line], self.folder, why=line)
            except Failure as failure:
                if not re.search(r"library -lomp|'omp\.h' file not found", str(failure)):
                    raise
                raise Failure(f"{failure}\nThe compiler's OpenMP runtime is missing: on Debian and Ubuntu install libomp-N-dev, "
                              "N its version; or name another compiler with --compiler") from None
            if not (self.folder / program).is_file():
                raise Failure(f"{line}: it made no {program}: {{program}} in `build` is the program's path")
            self.built[source] = self.folder / program
        return self.built[source]


class Version:
    """A version as it was recorded: its report, and the same on a model of a link. Its trace is in a scratch folder."""

    def __init__(self, name, workshop, source, arguments, options):
        self.name, self.sources, self.ompdm = name, workshop.folder, options.ompdm
        self.trace = workshop.folder.parent / f"{workshop.ladder.name}-{name}.json"
        self.page = f"{workshop.ladder.name}-{name}.html"
        self.printed = self.record(workshop.build(source), arguments)
        self.report = json.loads(self.reported("--format", "json"))
        self.expect_transfers()
        self.modelled = json.loads(self.reported("--format", "json", "--link", options.link))
        self.headline = self.reported().splitlines()[0]

    def record(self, program, arguments):
        """Records it up to three times, as long as that is short, and keeps the shortest run. Returns its output."""
        printed, begin, self.walls = "", time.monotonic(), []
        for _ in range(RUNS):
            trace = self.trace.with_name("run.json")
            printed = ended([self.ompdm, "record", "-o", trace, "--", program, *arguments], self.sources)
            if not trace.exists():
                raise Failure(f"{self.name}: no target region ran: is offload in the compiler's options? Each version needs "
                              "a target directive")
            taken = json.loads(ended([self.ompdm, "info", "--format", "json", trace]))["process"]["wall_ns"]
            self.walls.append(taken)
            if taken == min(self.walls):
                trace.replace(self.trace)
            trace.unlink(missing_ok=True)
            if time.monotonic() - begin > SECONDS_OF_RUNS:
                break
        return printed

    def reported(self, *words):
        # In the trace's folder: the report names the trace as it is given.
        return ended([self.ompdm, "report", *words, self.trace.name], self.trace.parent)

    def write_page(self, folder, *words):
        """Writes its page into a folder, with further options of `ompdm report`."""
        text = self.reported("--format", "html", *words)
        (folder / self.page).write_text(text.replace(f"{self.sources}/", ""))

    def expect_transfers(self):
        """A lesson of no transfers teaches nothing: throws Failure."""
        if self.report["traces"][0]["reach"] in ("no_emi", "none"):
            raise Failure(f"{self.name}: this runtime tells no transfers: use clang {OLDEST} or newer (--compiler)")
        if not self.report["directives"]:
            raise Failure(f"{self.name}: no directive ran on a device: is offload in the compiler's options? "
                          "`ompdm doctor` tells more of a program")

    def bytes(self, way):
        return self.report["totals"][way]["bytes"]

    def moved(self):
        return self.bytes("HtoD") + self.bytes("DtoH")

    def copies(self):
        return self.report["totals"]["HtoD"]["count"] + self.report["totals"]["DtoH"]["count"]

    def wall(self):
        trace = self.report["traces"][0]
        return trace["wall_ns"] - trace["hashing_ns"]

    def is_noisy(self):
        """Whether its runs differ by more than 20 %."""
        return max(self.walls) > 1.2 * min(self.walls)

    def is_on_host(self):
        """Whether a processor played the device, as LLVM's host plugin does."""
        devices = [row["type"] for row in self.report["devices"] if not row["is_host"]]
        return all(kind.startswith(("generic-64bit", "x86_64", "aarch64")) for kind in devices)

    def kernels(self):
        return self.report["totals"]["kernel"]["time_ns"]

    def transfers(self):
        return sum(self.report["totals"][way]["time_ns"] for way in ("HtoD", "DtoH"))

    def modelled_transfer(self):
        return sum(self.modelled["totals"][way]["time_ns"] for way in ("HtoD", "DtoH"))

    def busiest_loop(self):
        return max(self.report["iterations"], key=lambda loop: loop["count"], default=None)

    def functions(self):
        """The functions that hold its directives: of each its lines, as pairs of a number and a text."""
        found = []
        for file in sorted({row["file"] for row in self.report["directives"] if row["file"]}):
            path = self.sources / file
            if not path.is_file():
                continue
            lines = path.read_text(errors="replace").splitlines()
            spans = sorted({enclosing(lines, row["line"] - 1) for row in self.report["directives"]
                            if row["file"] == file and 0 < row["line"] <= len(lines)})
            found += [[(at + 1, lines[at].replace("// GAP: ", "// ")) for at in range(first, last + 1)
                       if not re.match(r"\s*// END\s*$", lines[at])] for first, last in spans]
        return found


def enclosing(lines, at):
    """The first and last line of the function around a line: they begin in the first column, as function bodies do."""
    opens = lambda line: line[:1] not in ("", " ", "\t", "#", "}", "{", "/")
    closes = lambda line: line.startswith("}")
    first = next((i for i in range(at, -1, -1) if opens(lines[i])), at)
    last = next((i for i in range(at, len(lines)) if closes(lines[i])), at)
    return first, last
