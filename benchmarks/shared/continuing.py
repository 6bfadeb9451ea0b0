"""Continue a benchmark that was stopped: what the same code has measured here is kept."""

import hashlib
from collections.abc import Mapping
from typing import TypeVar

from benchmarks import ROOT

Content = TypeVar("Content", bound=Mapping[str, object])
_VARYING = {"date", "load"}
"""Fields of a run that differ from day to day."""


def code(*folders: str) -> str:
    """Return a digest of the code in some folders of the repository."""
    digest = hashlib.sha256()
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".py", ".java"):
                digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def continued(before: Content | None, new: Content) -> Content:
    """Return earlier results if their settings are those of a new run, else the new ones.

    Lists are what is measured; all else, without the date and the load, are settings.
    """
    if before is None:
        return new
    settings = (
        name for name, value in new.items() if name not in _VARYING and not isinstance(value, list)
    )
    return before if all(before.get(name) == new[name] for name in settings) else new
