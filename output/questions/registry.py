"""All questions, by module; the commands of the command line follow the same order."""

from typing import Any, Final

from . import derivations, items, levels, lists
from .asking import Asking

MODULES: Final = (items, derivations, levels, lists)
"""The modules that declare questions."""
QUESTIONS: Final[tuple[type[Asking[Any]], ...]] = tuple(
    each
    for module in MODULES
    for each in vars(module).values()
    if isinstance(each, type) and issubclass(each, Asking) and each.__module__ == module.__name__
)
