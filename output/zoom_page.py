"""A page with pictures of an answer's views, on which a person can fold and unfold modules.

The page is a single file with everything it needs, and loads nothing from a network. It contains a
picture of each view. So its script does not fold or draw anything: it only switches between
pictures.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from importlib.resources import files
from typing import Any

from provhouse.model.visible import visible
from provhouse.pictures.drawing import Drawing

from .phrases import counted
from .results.graphs import of_view
from .results.level_view import node_names
from .zoom_views import MOST_VIEWS, View, views

_FOLDER = files(__package__) / "static"
MOST_ROWS = 500
"""The maximum number of edges in the table of a view."""


def zoom_page(view: str) -> str:
    """Return the page for a view, which is given as JSON with the field ``foldable``.

    The JSON is described in ``schemas/zoom.json``.
    """
    found = json.loads(view)
    modules = found["foldable"]["modules"]
    begin = frozenset(at for at, name in enumerate(modules) if name in found["folded"])
    parts = {
        "style": _text("zoom.css"),
        "script": _text("zoom.js"),
        "title": _safe(_title(found)),
        "about": _safe(_about(found, len(modules))),
        "modules": "\n".join(map(_module, modules)),
        "begin": _numbers(begin),
        "views": "".join(_section(found, each) for each in views(found["foldable"], begin)),
    }
    return re.sub(r"/\* (\w+) \*/", lambda mark: parts[mark[1]], _text("zoom.html"))


def _text(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")


def _title(found: Mapping[str, Any]) -> str:
    verb = "derives from" if found["direction"] == "upstream" else "affects"
    return f"{found['item']} {verb} {counted(found['found'], 'item')}"


def _about(found: Mapping[str, Any], modules: int) -> str:
    notes = [f"Level {found['zoom']}, as of generation {found['generation']} ({found['time']})."]
    if not found["complete"]:
        notes.append("Other rows may be missing: only samples of some writes have lineage.")
    if found["truncated"]:
        notes.append(f"The answer stops at --{found['truncated']}.")
    if found["erased"]:
        notes.append(f"{counted(found['erased'], 'item')} erased.")
    if 2**modules > MOST_VIEWS:
        notes.append("One module can be unfolded at a time, or all.")
    return " ".join(notes)


def _module(name: str) -> str:
    return f'<button type="button" data-module="{_safe(name)}">{_safe(name)}</button>'


def _numbers(folded: frozenset[int]) -> str:
    return " ".join(map(str, sorted(folded)))


def _section(found: Mapping[str, Any], view: View) -> str:
    size = f"{counted(len(view.nodes), 'node')}, {counted(len(view.edges), 'edge')}"
    graph = of_view(f"{_title(found)}: {size}", (), view, (0,))
    return f"""\
<section data-folded="{_numbers(view.folded)}" aria-label="{size}" hidden>
<div class="picture" tabindex="0">
{Drawing(graph).text()}</div>
<details open>
<summary>Made from</summary>
<table>
<thead><tr><th>made</th><th>from</th><th>op</th><th class="number">triples</th></tr></thead>
<tbody>
{"".join(_rows(view))}</tbody>
</table>
</details>
</section>
"""


def _rows(view: View) -> Iterator[str]:
    names = node_names(view.nodes)
    for row in view.edges.slice(0, MOST_ROWS).to_pylist():
        cells = names[row["to"]][1], names[row["from"]][1], row["op"] or ""
        yield f'<tr>{_cells(cells)}<td class="number">{row["triples"]:,}</td></tr>\n'


def _cells(texts: Sequence[str]) -> str:
    return "".join(f"<td>{_safe(text)}</td>" for text in texts)


def _safe(text: str) -> str:
    return escape(visible(text))
