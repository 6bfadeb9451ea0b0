"""A page with a picture of a view of an answer, where a person can fold and unfold modules.

The page is one file with everything it needs, and loads nothing from a network.
"""

import json
from importlib.resources import files

_FOLDER = files(__package__) / "static"


def zoom_page(view: str) -> str:
    """Return the page of a view, given as JSON with ``foldable``, as ``schemas/zoom.json`` says."""
    found = json.dumps(json.loads(view), ensure_ascii=False, separators=(",", ":"))
    parts = {
        "/* style */": _text("zoom.css"),
        "/* script */": _text("zoom.js"),
        "/* data */": found.replace("<", "\\u003c"),  # otherwise a name could end the element
    }
    page = _text("zoom.html")
    for mark, text in parts.items():
        page = page.replace(mark, text)
    return page


def _text(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")
