"""Packages that are imported when they are first used, because not all users install them."""

from importlib import import_module
from types import ModuleType
from typing import Any

from provhouse.model.extras import missing


def package(name: str) -> ModuleType:
    """Import a package that may not be installed; raise Unavailable if it is missing."""
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        raise missing(name) from error


class Deferred:
    """A package that is imported when one of its names is first used.

    If the package is missing, this first use raises Unavailable. A module that uses this class must
    not need the package for its own import.
    """

    def __init__(self, name: str) -> None:
        self._package = name

    def __getattr__(self, name: str) -> Any:
        value = getattr(package(self._package), name)
        setattr(self, name, value)
        return value
