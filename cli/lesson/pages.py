"""The pieces of HTML that a lesson's pages are made of, and the page of words."""
import html
import re

WORDS = [
    ("HtoD, DtoH", "copies from the host's memory to the device's, and from the device's to the host's: nvprof's words."),
    ("transfer, copy", "one piece of memory that is copied between host and device. For data that is not on the device yet, `to` or `from` makes one for each array, and `tofrom` two."),
    ("directive", "a line with #pragma omp target …; the report counts what each moved, at file and line."),
    ("iteration", "one run through the body of a loop. The report looks for copies that each iteration repeats."),
    ("first iteration", "shown apart: it also starts the device and allocates memory."),
    ("union", "time in which at least one copy (or kernel) was running. Overlap counts once."),
    ("device time", "the union of copies and kernels. On a laptop the processor plays the device."),
    ("redundant", "a transfer of content that was there already, or of data that nothing used."),
    ("certain", "this run proves it."),
    ("proven", "the sources allow the edit with any input."),
    ("likely", "one assumption is missing, which the finding names."),
    ("possible", "the trace shows a part of it only: look at the source before you believe it."),
    ("unless", "a condition that would make the edit wrong. No trace can show it: you can."),
    ("model", "computed from a link's bandwidth and latency, not measured. It is called a model wherever it stands."),
]

STYLE = """
:root { color-scheme: light dark; --line: #8886; --soft: #8882; --to: #2a78b8; --back: #e07b39; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem } h2 { margin-top: 2.5rem; border-top: 1px solid var(--line); padding-top: 1rem; font-size: 1.3rem }
article { border: 1px solid var(--line); border-radius: .5rem; padding: .2rem 1rem 1rem; margin: 1rem 0 }
pre { background: var(--soft); padding: .6rem; overflow-x: auto; font-size: .85rem }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; display: block; overflow-x: auto }
th, td { padding: .15rem .7rem; text-align: right; border-bottom: 1px solid var(--line) } td { white-space: nowrap }
th:first-child, td:first-child, td.text { text-align: left; white-space: normal }
.bar { display: flex; height: .8rem; margin-top: .6rem; background: var(--soft) } .to { background: var(--to) } .back { background: var(--back) }
.key { display: inline-block; width: .8rem; height: .8rem; margin-right: .4rem } .bar *, .key { print-color-adjust: exact }
details { margin-top: .6rem; padding: .4rem .8rem; background: var(--soft) } summary { font-weight: 600; cursor: pointer }
.diff code, .code code { display: inline-block; min-width: 100% } .diff span, .code span { display: block; min-height: 1lh }
.plus { background: #2ea04333 } .minus { background: #f8514933 } .note { opacity: .7 } .pragma { font-weight: 600; color: var(--to) }
dt { font-weight: 600; margin-top: .6rem } @media print { details > * { display: block } }
"""


def scaled(value, units):
    while len(units) > 1 and value >= 999.5:
        value, units = value / 1000, units[1:]
    return f"{value:.3g} {units[0]}" if value < 999.5 else f"{value:.0f} {units[0]}"


def size(count):
    return scaled(count, ["B", "KB", "MB", "GB"])


def duration(nanoseconds):
    return scaled(nanoseconds, ["ns", "us", "ms", "s"])


def table(heading, rows, text_at=()):
    cell = lambda at, text: f'<td{" class=text" if at in text_at else ""}>{html.escape(str(text))}</td>'
    head = "".join(f"<th>{html.escape(str(text))}</th>" for text in heading)
    return (f"<table><tr>{head}</tr>" + "".join("<tr>" + "".join(cell(at, text) for at, text in enumerate(row)) + "</tr>"
                                              for row in rows) + "</table>")


def page(title, body):
    return (f'<!doctype html>\n<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">\n'
            f"<title>{html.escape(title)}</title>\n<style>{STYLE}</style>\n<h1>{html.escape(title)}</h1>\n{body}\n</html>\n")


def prose(text):
    """A ladder's text: what stands between backticks is code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text))


def paragraph(text):
    return f"<p>{prose(text)}</p>" if text else ""


def listing(items):
    return "<ul>" + "".join(f"<li>{prose(item)}</li>" for item in items) + "</ul>" if items else ""


def diff(text):
    kind = lambda line: "note" if line[:3] in ("+++", "---") else {"+": "plus", "-": "minus", " ": ""}.get(line[:1], "note")
    lines = (f'<span class="{kind(line)}">{html.escape(line)}</span>' for line in text.splitlines())
    return f'<pre class="diff"><code>{"".join(lines)}</code></pre>'


def code(text):
    """Source as it is shown: its directives, with the lines that they go on in, stand out."""
    lines, goes_on = [], False
    for line in text.splitlines():
        pragma = goes_on or re.match(r"\s*(\d+\s+)?#pragma omp", line) is not None
        goes_on = pragma and line.rstrip().endswith("\\")
        lines.append(f'<span{" class=pragma" if pragma else ""}>{html.escape(line)}</span>')
    return f'<pre class="code"><code>{"".join(lines)}</code></pre>'


def numbered(functions):
    """Functions with the numbers of their lines."""
    texts = ("\n".join(f"{number:4}  {line}" for number, line in lines) for lines in functions)
    return "\n\n".join(texts) or "no source lines: compile with -g"


def table_of(named, link):
    """The versions of a program, with a row for each, and notes on their times."""
    rows = [[name, size(version.bytes("HtoD")), size(version.bytes("DtoH")), version.copies(),
             duration(version.modelled_transfer()), duration(version.kernels()), duration(version.wall())]
            for name, version in named.items()]
    notes = ["Each time is that of the shortest run."]
    noisy = [name for name, version in named.items() if version.is_noisy()]
    if noisy:
        notes.append(f"The runs of these versions differed by more than 20 %: {'; '.join(noisy)}.")
    if any(version.is_on_host() for version in named.values()):
        notes.append("There is no GPU here: kernel and wall times depend on this machine's load. "
                     "Compare bytes and copies.")
    heading = ["version", "to the device", "to the host", "copies", "modelled copy time, " + link, "kernel time", "wall time"]
    return table(heading, rows) + f"<p class=note>{html.escape(' '.join(notes))}</p>"


def bar(version, most):
    """The bytes of a version as a bar, whose full width is `most`, and as a sentence, which is its legend."""
    sent, copied_back = version.bytes("HtoD"), version.bytes("DtoH")
    return f"""<div class="bar"><div class="to" style="width:{100 * sent / most:.2f}%"></div><div class="back" style="width:{100 * copied_back / most:.2f}%"></div></div>
<p><span class="key to"></span>{size(sent)} to the device, <span class="key back"></span>{size(copied_back)} to the host, in {version.copies()} copies.</p>"""


def what_moves(version):
    loop = version.busiest_loop()
    if loop is None:
        return "<p>No loop copies anything.</p>"
    return (f"<p>In an iteration after the first, of {loop['count']} in all: {size(loop['HtoD_bytes'])} to the device, "
            f"{size(loop['DtoH_bytes'])} to the host, in {duration(loop['wall_ns'])}.</p>")


def first_report():
    words = "".join(f"<dt>{html.escape(word)}</dt><dd>{prose(meaning)}</dd>" for word, meaning in WORDS)
    return page("Reading your first report", f"""
<p>The first line says how much data was moved, and which directive moved most. Findings follow, a line each. Then comes
a summary in nvprof's format. Tables of directives, variables and loops end the report.
<code>ompdm explain trace.json 1</code> shows one finding in full.</p><dl>{words}</dl><p><a href="index.html">Back to the versions</a></p>""")
