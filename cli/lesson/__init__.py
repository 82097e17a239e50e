"""The modules of `ompdm lesson`. docs/lesson.md describes the command and the keys of a ladder."""
import pathlib

# Where ompdm is installed, or the build folder; this file is PREFIX/share/ompdm/python/lesson/__init__.py.
PREFIX = pathlib.Path(__file__).absolute().parents[4]
BUNDLED = PREFIX / "share/ompdm/lesson"  # the ladders that come with ompdm


class Failure(Exception):
    """A sentence for the user that ends the command, with the exit status 1."""


def progress(text):
    print(f"lesson: {text}", flush=True)
