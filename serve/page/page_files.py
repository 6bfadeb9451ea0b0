"""The files of the page: its own files, and those of the library that lays out pictures."""

from functools import cache

from ..static_files import StaticFile, files_of_jar, media_type, own_files

OWN = (
    "page.html", "page.css", "main.js", "state.js", "ask.js", "login.js", "search.js",
    "elements.js", "picture.js", "layout.js", "boxes.js", "edges.js", "tables.js", "panel.js",
    "explore.js", "what_if.js", "path.js", "changes.js", "runs.js", "revisions.js", "tools.js",
    "start.js", "levels.js", "legend.js", "tabs.js", "browser.js", "lodash_names.js",
)  # fmt: skip
LAYOUT = "layout/"
"""The path of dagre, the library that lays out pictures. Its files import each other."""


@cache
def page_files() -> dict[str, StaticFile]:
    """Return the page's own files, by name."""
    return own_files(__package__, OWN)


@cache
def library_files() -> dict[str, StaticFile]:
    """Return the files of the libraries, by name. Raises Unavailable if they were not fetched."""
    found = {
        f"{LAYOUT}{name.removeprefix('src/')}": content.replace(
            b"from 'lodash-es'", b"from '/static/lodash_names.js'"
        )
        for name, content in files_of_jar("dagre-d3-es").items()
        if name.startswith(("src/dagre/", "src/graphlib/"))
    }
    found["lodash.js"] = files_of_jar("lodash")["lodash.min.js"]
    return {name: StaticFile(content, media_type(name)) for name, content in found.items()}
