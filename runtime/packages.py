"""Packages that provhouse uses if they are installed, but does not install itself."""

from importlib import import_module
from types import ModuleType

from provhouse.model.errors import Unavailable


def package(name: str) -> ModuleType:
    """Import a package that provhouse does not install; raise Unavailable if it is missing."""
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        raise Unavailable(
            f"The Python package {name} is missing",
            "provhouse does not install it",
            f"Run `pip install {name}`",
        ) from error
