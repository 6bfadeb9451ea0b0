"""The static files of a page: their content, media types and headers."""

import zipfile
from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from provhouse.runtime.jars import jar_folder

TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
"""The headers of each file.

With them, a page loads nothing from elsewhere, and runs only scripts in files.
"""


class StaticFile(NamedTuple):
    """The content of a file, and its media type."""

    content: bytes
    media_type: str


def own_files(package: str, names: Iterable[str]) -> dict[str, StaticFile]:
    """Return the files in a package's folder ``static``, by name."""
    folder = files(package) / "static"
    return {name: StaticFile((folder / name).read_bytes(), media_type(name)) for name in names}


def media_type(name: str) -> str:
    """Return the media type of a file, by the ending of its name."""
    return TYPES[name.rpartition(".")[2]]


def files_of_jar(artifact: str) -> dict[str, bytes]:
    """Return the JavaScript files of an npm package in the group ``page``, by path in the package.

    Raises Unavailable if the jars of the group were not fetched.
    """
    with zipfile.ZipFile(jar_of(artifact)) as jar:
        inside = (name for name in jar.namelist() if name.endswith(".js"))
        # META-INF/resources/webjars/ARTIFACT/VERSION/PATH
        return {name.split("/", 5)[5]: jar.read(name) for name in inside}


def jar_of(artifact: str) -> Path:
    """Return the jar of an npm package in the group ``page``."""
    (jar,) = jar_folder("page").glob(f"{artifact}-[0-9]*.jar")
    return jar
