"""The README's picture: what each rung of heat moved, as bars, from the figures of the reports' table."""

WIDTH, LEFT, BAR, GAP = 860, 170, 22, 46
COLOURS = {"HtoD": "#2a78b8", "DtoH": "#e07b39"}


def bar(x, y, width, colour):
    return f'<rect x="{x:.1f}" y="{y}" width="{max(width, 1):.1f}" height="{BAR}" fill="{colour}"/>'


def text(x, y, words, size=14, anchor="start", weight="normal"):
    return (f'<text x="{x:.1f}" y="{y}" font-family="sans-serif" font-size="{size}" text-anchor="{anchor}" '
            f'font-weight="{weight}" fill="currentColor">{words}</text>')


def draw(title, rows):
    """`rows`: (rung, bytes to the device, bytes back, number of copies)."""
    most = max(to + back for _, to, back, _ in rows)
    scale = (WIDTH - LEFT - 230) / most
    parts = [text(16, 28, title, 17, weight="bold")]
    for i, (rung, to, back, copies) in enumerate(rows):
        y = 50 + i * GAP
        parts.append(text(LEFT - 12, y + 16, rung, anchor="end"))
        parts.append(bar(LEFT, y, to * scale, COLOURS["HtoD"]))
        parts.append(bar(LEFT + to * scale, y, back * scale, COLOURS["DtoH"]))
        parts.append(text(LEFT + (to + back) * scale + 10, y + 16, f"{(to + back) / 1e6:.0f} MB in {copies} copies"))
    legend = 50 + len(rows) * GAP + 4
    for i, (words, colour) in enumerate((("to the device", COLOURS["HtoD"]), ("back to the host", COLOURS["DtoH"]))):
        parts.append(bar(LEFT + i * 170, legend, BAR, colour))
        parts.append(text(LEFT + i * 170 + 30, legend + 16, words))
    height = legend + 40
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
            f'height="{height}" color="#444" role="img" aria-label="{title}">\n'
            + '<rect width="100%" height="100%" fill="#ffffff"/>\n' + "\n".join(parts) + "\n</svg>\n")
