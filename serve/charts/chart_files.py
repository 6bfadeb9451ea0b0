"""The files of a page of charts."""

from functools import cache

from ..static_files import StaticFile, files_of_jar, media_type, own_files

FILES = (
    "page.html",
    "page.css",
    "page.js",
    "axes.js",
    "bars.js",
    "list.js",
    "grid.js",
    "table.js",
    "state.js",
    "served.js",
    "views.js",
)


@cache
def chart_files() -> dict[str, StaticFile]:
    """Return the files of the page, and d3, by name. Raises Unavailable if d3 was not fetched."""
    d3 = StaticFile(files_of_jar("d3")["dist/d3.min.js"], media_type("d3.js"))
    return {**own_files(__package__, FILES), "d3.js": d3}
