"""Generator of ``docs/python.md`` from docstrings: ``python -m provhouse.cli.python_page``."""

import inspect
import sys
from collections import ChainMap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cached_property
from importlib import import_module
from types import ModuleType
from typing import Any

HEAD = """\
# Python
This page is generated from docstrings, by
`python -m provhouse.cli.python_page > docs/python.md`. `help(NAME)` shows the whole docstring of a
name, with its errors and an example. [First lineage](first-lineage.md),
[interactive queries](interactive.md), [data frames](pandas.md), [plain code](trace.md) and
[capture](capture.md) have programs.
"""
MODULES = {
    "provhouse": (),
    "provhouse.interactive": ("connect", "Connection", "Result"),
    "provhouse.pandas": (),
    "provhouse.polars": (),
}
"""The documented modules. A module without names here has them in ``__all__``."""
MEMBERS = {
    "Connection": ("sql", "execute", "register", "changed", "views", "edits", "link", "check_fd"),
    "Result": (
        "columns", "references", "behind", "negative", "choices", "to_arrow", "to_pandas",
        "backward", "forward", "why", "how", "aggregate", "explain", "draw", "save", "size",
    ),
}  # fmt: skip
"""The members of classes of ``provhouse.interactive`` that are for users."""
DEFAULTS = (str, int, float, bool, tuple, type(None))
"""A parameter's default is shown if it is of one of these types."""


def document() -> str:
    """Return the page as Markdown."""
    return "\n".join([HEAD, *(line for name in MODULES for line in _module(name))]) + "\n"


def _module(name: str) -> Iterator[str]:
    module = import_module(name)
    yield f"## {name}\n{_first(module)}\n"
    found = {each: _value(module, each) for each in MODULES[name] or module.__all__}
    named = [each for each in found.values() if inspect.isclass(each)]
    for each, value in found.items():
        if not inspect.isclass(value):
            yield f"- `{each}{_signature(value)}`: {_first(value)}"
    for each in named:
        yield from _class(each, named, MEMBERS if name == "provhouse.interactive" else {})
    yield ""


def _value(module: ModuleType, name: str) -> Any:
    if module.__name__ == "provhouse.interactive" and name != "connect":
        source = {"Connection": "duckdb_session", "Result": "result"}[name]
        return getattr(import_module(f"{module.__name__}.{source}"), name)
    return getattr(module, name)


def _class(found: Any, named: Sequence[Any], chosen: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield the section of a class: its members, and those of bases without a section."""
    bases = [each for each in found.__mro__[1:] if each in named]
    also = f" It has the members of `{bases[0].__name__}`, too." if bases else ""
    yield f"\n### {found.__name__}\n{_first(found)}{also}\n"
    if is_dataclass(found):
        shown = [f"`{each.name}`" for each in fields(found) if not each.name.startswith("_")]
        yield f"Fields: {', '.join(shown)}\n"
    own = [each for each in found.__mro__ if each.__module__.startswith("provhouse")]
    members = [vars(each) for each in own if not any(issubclass(base, each) for base in bases)]
    every = ChainMap(*members)
    for member in chosen.get(found.__name__, every):
        value = every[member]
        if member.startswith("_") or not inspect.getdoc(value):
            continue
        if isinstance(value, property | cached_property):
            yield f"- `{member}`: {_first(value)}"
        elif inspect.isroutine(value):
            yield f"- `{member}{_signature(getattr(found, member))}`: {_first(value)}"


def _signature(found: Any) -> str:
    """Return the parameters of a function, without types."""
    listed = [each for each in inspect.signature(found).parameters.values() if each.name != "self"]
    shown = [each.replace(annotation=each.empty, default=_default(each)) for each in listed]
    return str(inspect.Signature(shown))


def _default(parameter: inspect.Parameter) -> Any:
    known = parameter.default is parameter.empty or isinstance(parameter.default, DEFAULTS)
    return parameter.default if known else _Other()


class _Other:
    """Stands for a parameter's default that is not shown."""

    def __repr__(self) -> str:
        return "…"


def _first(found: Any) -> str:
    """Return the first paragraph of a docstring, on one line and in Markdown."""
    text = (inspect.getdoc(found) or "").partition("\n\n")[0]
    return " ".join(text.split()).replace("``", "`")


if __name__ == "__main__":
    sys.stdout.write(document())
