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

    Raises Unavailable then if the package is missing. The module that uses it must not need the
    package to be imported itself.
    """

    def __init__(self, name: str) -> None:
        self._package = name

    def __getattr__(self, name: str) -> Any:
        value = getattr(package(self._package), name)
        setattr(self, name, value)
        return value
