"""The students' edition of a lesson: without answers, solutions, and the sources of later versions."""
import html
import shutil

from lesson import Failure
from lesson.exercises import copy_beside
from lesson.pages import bar, code, numbered, paragraph, prose, what_moves
from lesson.programs import version_commands

INTRODUCTION = "<p>The code of a first version is shown. Of a later version you see what it moves: how would you write it?</p>"


def check(ladders, options):
    """Throws Failure where the edition would tell a solution."""
    if options.o.is_dir() and any(options.o.iterdir()):
        raise Failure(f"{options.o} has files already, and those of an instructor's lesson tell the answers: "
                      "remove them, or name another folder with -o")
    for ladder in ladders:
        for exercise in ladder.exercises:
            if ladder.versions and exercise["solution"] == ladder.source_of(ladder.versions[0]):
                raise Failure(f"{ladder.path}: exercise {exercise['name']}: its solution is the first version, which students see")


def versions_part(ladder, workshop, versions, most, options):
    """The first version as it is; of each later one what it moves, and the question of the version before."""
    row, first = ladder.versions[0], versions[0]
    source = ladder.source_of(row)
    # A source of several versions is not handed out: its first version is shown in the lesson, and its page has no code.
    is_alone = source not in [ladder.source_of(other) for other in ladder.versions[1:]]
    first.write_page(options.o, *([] if is_alone else ["--no-source"]))
    built = ""
    if is_alone:
        copy = options.o / ladder.name / source
        copy.parent.mkdir(parents=True)
        shutil.copy(workshop.folder / source, copy)
        copy_beside(ladder.folder / source, copy.parent)
        built = f"<details><summary>Build it and run it</summary><pre>{html.escape(version_commands(ladder, row, options.compiler))}</pre></details>"
    parts = [f"""<article><h3>{html.escape(first.name)}</h3>{paragraph(row.get("about", ""))}
{code(numbered(first.functions()))}{built}{bar(first, most)}<p><i>{html.escape(first.headline)}</i></p>{what_moves(first)}
<p><a href="{first.page}">Its page: timeline, iterations, findings</a></p></article>"""]
    for before, version in zip(ladder.versions, versions[1:]):
        parts.append(f"""<article><h3>{html.escape(version.name)}</h3>{bar(version, most)}
<p><b>Question on {html.escape(before["name"])}:</b> {prose(ladder.question_of(before))}</p></article>""")
    return parts
