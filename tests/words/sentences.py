#!/usr/bin/env python3
"""Looks at what a person reads: strings and comments of the programs, README, docs, and the lesson's ladders.

    tests/words/sentences.py SOURCE_DIR [--list] [FILE ...]

A sentence has at most 25 words, and no word that docs/glossary.md retires. With --list each sentence that is too long is
printed with its number of words, longest first. The exit status is 1 where there is any.
"""
import argparse
import ast
import pathlib
import re
import sys
import tomllib

MOST_WORDS = 25

# Retired by docs/glossary.md; here as they are written in sentences. Names of the contract (JSON keys, options) are
# in quotes or backticks there, which are not looked at.
RETIRED = {
    r"anew": "again",
    r"(brings?|brought|bringing|comes?|came|coming) back": "copied back",
    r"cross(es|ed|ing)?": "transfer, copy",
    r"instances?": "execution",
    r"pass(es)?": "iteration",
    r"rungs?": "version",
    r"lanes?": "thread buffer",
    r"surplus": "redundant transfers",
    r"tall(y|ies)": "aggregate",
    r"untaken|unreached": "unexecuted",
    r"withheld": "below threshold",
    r"workplace": "sandbox",
}
FOLDERS = ["cli", "libompdm", "edit"]
COMMENTED = [*FOLDERS, "gpu", "kernels", "tests"]  # where comments are looked at
# Lists of names, no sentences.
NO_TEXT = ["runtime_calls.cpp"]
PAGES = ["kernels/**/*.toml", "libompdm/html/web/*.js", "cli/ompdm-lesson", "cli/lesson/*.py", "README.md", "CONTRIBUTING.md", "VERSIONS.md", "docs/**/*.md", "kernels/README.md"]

LITERAL = re.compile(
    r'//[^\n]*|/\*.*?\*/|\'(?:[^\'\\\n]|\\.)\'|R"(\w*)\((.*?)\)\1"|"((?:[^"\\\n]|\\.)*)"', re.DOTALL)


def literals(text):
    """(line, string) of C++: adjacent literals are one."""
    parts, begin, end = [], 0, None
    for found in LITERAL.finditer(text):
        if found.group(0).startswith(("//", "/*", "'")):
            continue
        value = found.group(2) if found.group(2) is not None else found.group(3)
        value = value if found.group(2) is not None else re.sub(
            r"\\(.)", lambda one: {"n": "\n", "t": " "}.get(one.group(1), one.group(1)), value)
        # Between the parts of one string stand blanks and comments alone.
        between = "" if end is None else re.sub(r"//[^\n]*", "", text[end:found.start()])
        if parts and not between.strip():
            parts.append(value)
        else:
            if parts:
                yield begin, "".join(parts)
            parts, begin = [value], text.count("\n", 0, found.start()) + 1
        end = found.end()
    if parts:
        yield begin, "".join(parts)


def comments(text):
    """(line, comment) of C++: lines of comments that follow each other are one comment. What is in quotes is a name."""
    block, begin, last = [], 0, -1
    for found in LITERAL.finditer(text):
        if not found.group(0).startswith(("//", "/*")):
            continue
        line = text.count("\n", 0, found.start()) + 1
        is_alone = not text[text.rfind("\n", 0, found.start()) + 1:found.start()].strip()
        if block and not (is_alone and line == last + 1):
            yield begin, "\n".join(block)
            block = []
        begin, last = (begin if block else line), line
        body = re.sub(r"^(///?<?|/\*+)|\*/$", "", found.group(0))
        # A line of a list, of expected counts, or one that is set off begins a sentence.
        if body.strip().startswith("namespace "):
            continue
        block.append(re.sub(r"^\s*([-*@=]|\s{3})", "\n", re.sub(r'"[^"\n]*"', "x", body)))
        if not is_alone:
            yield begin, "\n".join(block)
            block = []
    if block:
        yield begin, "\n".join(block)


def javascript(text):
    """(line, string or comment) of a page's script. What a template fills in is a word."""
    for found in re.finditer(r"//([^\n]*)|/\*(.*?)\*/|'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`", text, re.DOTALL):
        line, value = text.count("\n", 0, found.start()) + 1, next(filter(None, found.groups()), "")
        value = re.sub(r"\$\{[^{}]*\}|\{[^{}]*\}", "x", value)
        yield line, re.sub(r"\s\*?\s*@(?:param|property)\s+\S+\s+(?:\w+,\s+)*\w+", "\n\nx", value)


def paragraphs(text):
    """(line, paragraph) of Markdown, without code blocks, tables' rules and links' targets."""
    line, block, begin, in_code = 0, [], 0, False
    for one in text.split("\n") + [""]:
        line += 1
        if one.lstrip().startswith("```"):
            in_code = not in_code
            one = ""
        is_end = in_code or not one.strip() or re.match(r"\s*([-*#|>]|\d+\.|<!--|!\[)", one)
        if is_end and block:
            yield begin, " ".join(block)
            block = []
        if in_code or not one.strip() or one.startswith(("<!--", "![")):
            continue
        if one.startswith("|"):
            for cell in one.strip("|").split("|"):
                yield line, cell
            continue
        if not block:
            begin = line
        block.append(re.sub(r"^\s*([-*#>]+|\d+\.)\s*", "", one).strip())


def values(table):
    """(line, string) of TOML's values that are texts; tomllib tells no line."""
    for value in table.values() if isinstance(table, dict) else table:
        if isinstance(value, str) and " " in value:
            yield 1, value
        elif isinstance(value, (dict, list)):
            yield from values(value)


def constants(text):
    """(line, string) of Python: without docstrings, HTML's tags and style."""
    tree = ast.parse(text)
    plain = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            plain |= {id(part) for part in node.values}
            whole = "".join(part.value if isinstance(part, ast.Constant) else "x" for part in node.values)
            if "TODO" not in whole:
                yield node.lineno, re.sub(r"<[^>]*>", "\n\n", whole)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in plain and "{ color" not in node.value and "TODO" not in node.value:
            yield node.lineno, re.sub(r"<[^>]*>", "\n\n", node.value)


def texts(path, text):
    if path.suffix in (".cpp", ".h", ".c"):
        return literals(text)
    if path.suffix == ".js":
        return javascript(text)
    if path.suffix == ".toml":
        return values(tomllib.loads(text))
    return constants(text) if path.suffix == ".py" or path.name == "ompdm-lesson" else paragraphs(text)


def sentences(text):
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)   # links
    text = re.sub(r"`[^`]*`", "x", text)                   # code
    text = re.sub(r"\{[^{}]*\}", "x", text)                # what fmt fills in
    text = re.sub(r"'[^'\n]* [^'\n]*'", "x", text)         # commands
    text = re.sub(r"(--detail |OMPDM_DETAIL=)tallies", "x", text)
    # Help's columns and lists are lines of their own.
    for part in re.split(r"(?<=[.!?])[)*]*\s|\n\s*\n|\n(?=\s|ompdm )", text):
        yield " ".join(part.split())


def words(sentence):
    return [one for one in sentence.split() if re.search(r"\w", one)]


def looked_at(path, root):
    text = path.read_text(errors="replace")
    if path.suffix in (".cpp", ".h", ".c"):
        for line, comment in comments(text):
            for sentence in sentences(re.sub(r"(?<!\n)\n(?!\n)\s*", " ", comment)):
                yield f"{path.relative_to(root)}:{line}", sentence
    if path.relative_to(root).parts[0] not in FOLDERS and path.suffix in (".cpp", ".h", ".c"):
        return
    source = texts(path, text)
    # Help is broken into lines; in reports a line is a sentence of its own.
    is_report = "libompdm" in path.parts
    for line, paragraph in source:
        for sentence in sentences(paragraph.replace("\n", "\n\n") if is_report else paragraph):
            yield f"{path.relative_to(root)}:{line}", sentence


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    parser.add_argument("--list", action="store_true")
    asked = parser.parse_args()
    root = asked.root.resolve()
    files = [one.resolve() for one in asked.files]
    if not files:
        for folder in COMMENTED:
            files += [one for one in sorted((root / folder).rglob("*")) if one.suffix in (".cpp", ".h", ".c") and one.name not in NO_TEXT]
        for pattern in PAGES:
            files += sorted(root.glob(pattern))
    found = []
    for path in files:
        is_glossary = path.name == "glossary.md"
        for place, sentence in looked_at(path, root):
            count = len(words(sentence))
            if count > MOST_WORDS:
                found.append((count, place, f"{count} words: {sentence}"))
            # Identifiers have no blank.
            if is_glossary or " " not in sentence:
                continue
            for word, better in RETIRED.items():
                if re.search(rf"(?<![\w-]){word}(?![\w-])", sentence, re.IGNORECASE):
                    found.append((0, place, f"say {better}: {sentence}"))
    found.sort(key=lambda one: -one[0])
    for _, place, what in found:
        print(f"{place}: {what}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
