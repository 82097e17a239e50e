"""Writes a lesson: the part of each ladder, and the page that holds them. Instructors get the versions with their answers."""
import html
import shutil
import sys
import tempfile

from lesson import progress, students
from lesson.effects import fixed, prediction, predictions
from lesson.exercises import exercise_part
from lesson.pages import bar, code, first_report, listing, numbered, page, paragraph, prose, table_of, what_moves
from lesson.programs import Version, Workshop, ended, version_commands


def recorded(ladder, workshop, options):
    """The versions of a ladder, recorded one after the other."""
    versions = []
    for number, row in enumerate(ladder.versions, 1):
        progress(f"{ladder.name} {number} of {len(ladder.versions)}: {row['name']}")
        versions.append(Version(row["name"], workshop, ladder.source_of(row), ladder.arguments_of(row), options))
    for version in versions[1:]:
        if ladder.same_lines(version.printed) != ladder.same_lines(versions[0].printed):
            print(f"lesson: {ladder.name}: {version.name} prints something else than {versions[0].name}: is it right? "
                  "(`ignore` leaves out lines that differ from run to run)", file=sys.stderr)
    return versions


def article(ladder, row, version, following, most, options):
    """A version with its functions, its transfers, its question and the answer."""
    return f"""<article><h3>{html.escape(version.name)}</h3>{paragraph(row.get("about", ""))}
{code(numbered(version.functions()))}
<details><summary>Build it and run it</summary><pre>{html.escape(version_commands(ladder, row, options.compiler))}</pre></details>
{bar(version, most)}<p><i>{html.escape(version.headline)}</i></p>
{what_moves(version)}<p><a href="{version.page}">Its page: timeline, iterations, source, findings</a></p>
<details><summary>{prose(ladder.question_of(row))}</summary>{paragraph(row.get("answer", ""))}{prediction(version, following)}</details></article>"""


def versions_part(ladder, workshop, versions, most, options):
    """The versions for an instructor, each with its page; the comparison of all; what `ompdm fix` makes of one."""
    parts = []
    if len(versions) > 1:
        text = ended([options.ompdm, "compare", "--format", "html", *[version.trace.name for version in versions]],
                     workshop.folder.parent)
        (options.o / f"{ladder.name}.html").write_text(text.replace(f"{workshop.folder}/", ""))
        parts.append(f'<p><a href="{ladder.name}.html">All versions side by side</a></p>')
    for row, version, following in zip(ladder.versions, versions, [*versions[1:], None]):
        version.write_page(options.o)
        parts.append(article(ladder, row, version, following, most, options))
    parts.append(predictions(ladder, versions))
    if ladder.fix:
        parts.append(fixed(ladder, {version.name: version for version in versions}, options))
    return parts


def ladder_part(ladder, options):
    """Records all versions of a ladder, and returns its part of the lesson."""
    minutes = f" ({ladder.table['minutes']} minutes)" if "minutes" in ladder.table else ""
    parts = [f'<h2 id="{html.escape(ladder.name)}">{html.escape(ladder.table["title"])}{minutes}</h2>',
             paragraph(ladder.table.get("about", "")), listing(ladder.table.get("goals", []))]
    with tempfile.TemporaryDirectory() as scratch:
        workshop = Workshop(ladder, scratch, options.compiler)
        if ladder.versions and not options.students:
            shutil.copytree(workshop.folder, options.o / ladder.name, dirs_exist_ok=True,
                            ignore=shutil.ignore_patterns("*.toml", "exercises"))
        versions = recorded(ladder, workshop, options)
        if versions:
            parts.append(table_of({version.name: version for version in versions}, options.link))
            most = max(1, *(version.moved() for version in versions))
            parts += (students.versions_part if options.students else versions_part)(ladder, workshop, versions, most, options)
    parts += [exercise_part(ladder, exercise, options) for exercise in ladder.exercises]
    return "\n".join(part for part in parts if part)


def write_lesson(ladders, options):
    if options.students:
        students.check(ladders, options)
    options.o.mkdir(parents=True, exist_ok=True)
    parts = ["<p>The versions of a program compute the same. Their directives differ, and so do their copies. Times are of "
             "the machine that made these pages: its processor plays the device where there is no GPU. "
             '<a href="first-report.html">Reading your first report</a> explains the words.</p>']
    if options.students:
        parts.append(students.INTRODUCTION)
    if len(ladders) > 1:
        links = (f'<a href="#{html.escape(ladder.name)}">{html.escape(ladder.table["title"])}</a>' for ladder in ladders)
        parts.append(f"<p>{' · '.join(links)}</p>")
    texts = [text for ladder in ladders for text in ladder.path.read_text().splitlines() if "TODO" in text and not text.startswith("#")]
    if texts:
        print(f"lesson: {len(texts)} TODO left in the ladder, the first: {texts[0].strip()}", file=sys.stderr)
    parts += [ladder_part(ladder, options) for ladder in ladders]
    (options.o / "index.html").write_text(page("Where the data moves", "\n".join(parts)))
    (options.o / "first-report.html").write_text(first_report())
    print(f"lesson: open {options.o / 'index.html'}")
