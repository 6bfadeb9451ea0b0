"""Digests of everything on which the value of a Python function depends.

A function is described as Spark's workers get it. If it is pickled by value, its description is its
code, defaults, closure, and the globals that its code names. If it is in one of the user's modules,
its description is the source of the module and of all modules that this module imports. If it is in
an installed package, its description is its name and the package's version. Any other value is
described by its pickle.
"""

import ast
import builtins
import copyreg
import dis
import hashlib
import importlib.util
import sys
import sysconfig
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import packages_distributions, version
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any, TypeVar

from .node_reader import canonical

Function = TypeVar("Function", bound=Callable[..., Any])
MARK = "provhouse_deterministic"
"""The name of the attribute that marks functions declared as deterministic."""
UNPICKLED = frozenset({"pyspark.core.broadcast", "pyspark.broadcast", "pyspark.accumulators"})
"""Modules whose values depend on more than their pickles."""
LIBRARIES = tuple(Path(sysconfig.get_path(name)).resolve() for name in ("purelib", "platlib"))


class NotDescribed(Exception):
    """The error for a function whose value may depend on something that cannot be described."""


@dataclass(frozen=True)
class FunctionFacts:
    """The digest of a Python function, and its declaration."""

    digest: str
    deterministic: bool
    """Whether the program declares that the function returns equal values for equal arguments."""
    problem: str = ""
    """The reason why the function has no digest; empty if it has one."""


def deterministic(function: Function) -> Function:
    """Declare that a Python function for Spark returns equal values for equal arguments.

    Without the declaration, no result of the function is reused. The function must not read a
    clock, files, the network or random numbers.

    >>> with_tax = udf(provhouse.deterministic(lambda price: price * 1.2), "double")
    """
    setattr(function, MARK, True)
    return function


def facts_of(function: Callable[..., Any]) -> FunctionFacts:
    """Return the digest of a function, or the reason why it has none."""
    declared = getattr(function, MARK, False) is True
    try:
        text = canonical([list(sys.version_info), _Description().of(function)])
    except NotDescribed as problem:
        return FunctionFacts("", declared, str(problem))
    except RecursionError:
        return FunctionFacts("", declared, "its values contain each other")
    return FunctionFacts(hashlib.sha256(text.encode()).hexdigest(), declared)


@dataclass
class _Description:
    """The description of one function; repeated values are described by a number."""

    numbers: dict[int, int] = field(default_factory=dict)
    kept: list[Any] = field(default_factory=list)
    """All numbered values; keeping them prevents another value from getting the same address."""

    def of(self, value: Any) -> Any:
        """Return a value as JSON. Raises NotDescribed if it has no description."""
        if value is None or (isinstance(value, bool | int | str) and type(value) in PLAIN):
            return value
        if type(value) in (float, complex, bytes, type(Ellipsis), range):
            return [type(value).__name__, repr(value)]
        if id(value) in self.numbers:
            return ["again", self.numbers[id(value)]]
        self.numbers[id(value)] = len(self.numbers)
        self.kept.append(value)
        return [type(value).__name__, self._parts(value)]

    def _parts(self, value: Any) -> Any:
        if type(value) in (tuple, list):
            return [self.of(each) for each in value]
        if type(value) in (set, frozenset):
            return sorted(canonical(_Description().of(each)) for each in value)
        if type(value) is dict:
            return [[self.of(key), self.of(each)] for key, each in value.items()]
        if isinstance(value, CodeType):
            return self._code(value)
        if isinstance(value, ModuleType):
            return self._module(value)
        if isinstance(value, FunctionType | BuiltinFunctionType | type):
            return self._named(value)
        return self._pickled(value)

    def _named(self, value: Any) -> Any:
        """Describe a function or a class; use its name if Spark's workers import it."""
        module = sys.modules.get(str(value.__module__)) if value.__module__ else builtins
        if module is not None and _is_in(module, value):
            return [value.__qualname__, self.of(module)]
        if isinstance(value, FunctionType):
            return self._function(value)
        if isinstance(value, type):
            own = {k: v for k, v in vars(value).items() if k not in OF_CLASSES}
            return [self.of(value.__bases__), self.of(own)]
        raise NotDescribed(f"it uses {value.__qualname__}, which has no module")

    def _function(self, value: FunctionType) -> Any:
        cells = [each.cell_contents for each in value.__closure__ or ()]
        used = {
            name: value.__globals__[name]
            for name in sorted(_names(value.__code__))
            if name in value.__globals__
        }
        own = {name: each for name, each in vars(value).items() if name != MARK}
        parts = (value.__code__, value.__defaults__, value.__kwdefaults__, cells, used, own)
        return [self.of(each) for each in parts]

    def _code(self, code: CodeType) -> Any:
        flat = [code.co_code, code.co_exceptiontable, *(getattr(code, each) for each in COUNTED)]
        imported = [self.of(_imported(name)) for name in sorted(_imports(code))]
        return [[self.of(each) for each in flat], imported, [self.of(c) for c in code.co_consts]]

    def _module(self, module: ModuleType) -> Any:
        """Describe a module; use the version of its package if it has one."""
        name = module.__name__
        file = getattr(module, "__file__", None)
        if name.partition(".")[0] in sys.stdlib_module_names:
            return name  # the version of Python is in each digest
        if file is None:
            raise NotDescribed(f"it uses the module {name}, which has no file")
        path = Path(file).resolve()
        if any(path.is_relative_to(each) for each in LIBRARIES):
            return [name, _package_version(name)]
        if path.suffix != ".py":
            return [name, hashlib.sha256(path.read_bytes()).hexdigest()]
        source = path.read_bytes()
        inner = [self.of(each) for each in _imported_by(source, module)]
        return [name, hashlib.sha256(source).hexdigest(), inner]

    def _pickled(self, value: Any) -> Any:
        if type(value).__module__ in UNPICKLED:
            raise NotDescribed(f"it uses a value of the type {type(value).__name__}")
        reduce = copyreg.dispatch_table.get(type(value))
        try:
            made = reduce(value) if reduce else value.__reduce_ex__(4)
        except Exception as error:
            kind = type(value).__name__
            raise NotDescribed(f"it uses a value of the type {kind}") from error
        if isinstance(made, str):
            raise NotDescribed(f"it uses {made}, which is known by its name alone")
        return [self.of(list(each) if isinstance(each, Iterator) else each) for each in made]


PLAIN = (bool, int, str)
OF_CLASSES = frozenset(
    {"__dict__", "__weakref__", "__doc__", "__module__", "__firstlineno__", "__static_attributes__"}
)
COUNTED = (
    "co_names", "co_varnames", "co_freevars", "co_cellvars", "co_flags", "co_argcount",
    "co_posonlyargcount", "co_kwonlyargcount",
)  # fmt: skip
"""The parts of a code object except instructions, constants, line numbers and file names."""


def _is_in(module: ModuleType, value: Any) -> bool:
    """Return whether Spark's workers can find a function or class in a module by its name."""
    found: Any = module
    for name in value.__qualname__.split("."):
        found = getattr(found, name, None)
    return found is value and module.__name__ != "__main__"


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _codes(each)


def _names(code: CodeType) -> set[str]:
    """Return all names in a code object that may be names of globals."""
    return {name for each in _codes(code) for name in each.co_names}


def _imports(code: CodeType) -> set[str]:
    """Return the modules that a code object imports when it runs."""
    return {each.argval for each in dis.get_instructions(code) if each.opname == "IMPORT_NAME"}


def _imported(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except Exception as error:
        raise NotDescribed(f"it imports {name}, which this program cannot import") from error


def _imported_by(source: bytes, module: ModuleType) -> list[ModuleType]:
    """Return the modules that a module's source imports, in order."""
    package = module.__name__ if hasattr(module, "__path__") else module.__name__.rpartition(".")[0]
    found = set[str]()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {each.name for each in node.names}
        if isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            name = importlib.util.resolve_name(base, package) if node.level else base
            found |= {name, *(f"{name}.{each.name}" for each in node.names)}
    return [sys.modules[name] for name in sorted(found) if name in sys.modules]


def _package_version(module: str) -> list[str]:
    names = _distributions().get(module.partition(".")[0])
    if not names:
        raise NotDescribed(f"it uses the module {module}, whose package has no version")
    return [f"{name} {version(name)}" for name in sorted(set(names))]


@cache
def _distributions() -> dict[str, list[str]]:
    return {name: list(found) for name, found in packages_distributions().items()}
