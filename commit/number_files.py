"""Give numbers to files, so that a row of a file can be identified by two integers."""

import os
from collections.abc import Sequence
from urllib.parse import unquote, urlsplit

import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.arrays import I64
from provhouse.model.progress import Progress
from provhouse.model.settings import Settings
from provhouse.store.tables.file_table import add_files, numbers_of
from provhouse.store.warehouse.identity import create_identity
from provhouse.store.warehouse.layout import Layout

from .single_writer import only_writer


def number_files(paths: Sequence[str], settings: Settings, progress: Progress) -> I64:
    """Return the number of each file. Files without a number get the next numbers, in order.

    A path keeps its number permanently, and no other path ever gets it. Paths may be relative, or
    URIs such as ``file:///a`` or ``s3a://bucket/a``. The lock is taken only if a file needs a
    number. In this case, raises Busy if another process writes.
    """
    layout = Layout(settings.warehouse)
    wanted = pa.array([_whole(path) for path in paths], pa.string())
    numbers = numbers_of(layout, wanted)
    if (numbers >= 0).all():
        return numbers
    with only_writer(settings, progress):
        create_identity(layout)
        new = pc.unique(wanted.filter(pa.array(numbers_of(layout, wanted) < 0)))
        if len(new):
            add_files(layout, new)
        return numbers_of(layout, wanted)


def _whole(path: str) -> str:
    """Return the absolute path of a local file, given as path or URI; keep other URIs as given."""
    parts = urlsplit(path)
    if parts.scheme == "file":
        return os.path.abspath(unquote(parts.path))
    return path if "://" in path else os.path.abspath(path)
