"""An HTML page with a picture and a table of its lines. It loads nothing and runs no scripts."""

from collections.abc import Iterator
from html import escape

from provhouse.model.visible import visible

from .captions import full_name
from .picture_graph import Boxes
from .svg import svg
from .trunks import label_of

_STYLE = """\
:root { color-scheme: light dark; }
body { margin: 1.5rem; font: 15px/1.45 system-ui, sans-serif; }
h1 { font-size: 1.25rem; margin: 0 0 0.5rem; overflow-wrap: anywhere; }
main { overflow: auto; }
table { border-collapse: collapse; margin-top: 1rem; }
th, td { text-align: left; padding: 0.15rem 1.5rem 0.15rem 0; overflow-wrap: anywhere; }
"""


def page(picture: Boxes) -> str:
    """Return a picture as an HTML page."""
    title = _safe(picture.title)
    return f"""\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
{_STYLE}</style>
</head>
<body>
<h1>{title}</h1>
<main>
{svg(picture)}</main>
<table>
<thead><tr><th>made</th><th>from</th><th>op and triples</th></tr></thead>
<tbody>
{"".join(_rows(picture))}</tbody>
</table>
</body>
</html>
"""


def _rows(picture: Boxes) -> Iterator[str]:
    names = [full_name(box) for box in picture.boxes]
    for line in picture.lines:
        op = label_of(visible(line.op) or "(no op)", line.counts, room=10_000)
        cells = (names[line.target], names[line.source], op)
        yield f"<tr>{''.join(f'<td>{_safe(cell)}</td>' for cell in cells)}</tr>\n"


def _safe(text: str) -> str:
    return escape(visible(text))
