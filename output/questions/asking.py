"""The declaration of a question: its parameters, its answering function and its result."""

import re
from abc import ABC
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass, fields
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Generic, TypeVar, get_type_hints

from provhouse.model.errors import UsageError
from provhouse.model.question import OPTIONAL, AsOf
from provhouse.model.wire_names import wire_name

if TYPE_CHECKING:
    from provhouse.model.progress import Stopwatch
    from provhouse.query.lineage.ask import Asker
    from provhouse.store.warehouse.layout import Layout

    from ..shown_result import ShownResult

Found = TypeVar("Found")
Part = TypeVar("Part")
Askers = Callable[[AsOf | None], AbstractContextManager["Asker"]]
"""A function that returns a context manager with the ``Asker`` of one generation.

An ``Asker`` answers questions from its generation. The argument None means the current generation.
"""
Name = Annotated[str, "not empty"]
"""The name of an item, a file, a run or a module, which is never empty."""


def meaning(
    text: str, at_least: int | None = None, *, metavar: str = "", option: bool = False
) -> dict[str, Any]:
    """Return the metadata of a field: a line of help and, for a number, the smallest allowed value.

    ``metavar`` is the placeholder in the help of a command. By default, it is derived from the
    type. ``option`` makes a field without a default an option of the command instead of an
    argument.
    """
    return {"help": text, "at_least": at_least, "metavar": metavar, "option": option}


@dataclass(frozen=True, eq=False, repr=False)
class Asking(ABC, Generic[Found]):
    """A question with its parameters.

    ``AskingWhatIf`` is the question ``what-if``. The first paragraph of the class's docstring
    describes its route. The metadata of a field come from ``meaning``.
    """

    name: ClassVar[str]
    schema: ClassVar[str]
    """The name of the JSON schema of the result."""
    found: ClassVar[str]
    """The class of the result for programs: its module in provhouse, and its name."""
    result: ClassVar[str]
    """The class of the result for people and files: its module in ``results``, and its name.

    By default, this class is derived from the fields of ``found``.
    """
    rows: ClassVar[str]
    """The field of ``found`` whose rows CSV contains, if ``result`` is empty."""
    pictured: ClassVar[bool]
    """Whether the result can be drawn: ``result`` is a ``PicturedResult``."""
    quick: ClassVar[bool]
    """Whether the question can be answered in this process without Spark and Neo4j."""
    admin: ClassVar[bool]
    """Whether a server answers this question only for the role ``admin``."""
    command: ClassVar[str]
    """An example call of the question's command, whose arguments and options are its fields.

    If this is empty, the question does not get a command from its fields.
    """
    private: ClassVar[tuple[str, ...]] = ()
    """Fields of the answer, and of its parts, whose strings may contain paths."""

    def __init_subclass__(
        cls,
        found: str = "",
        result: str = "",
        schema: str = "",
        rows: str = "",
        *,
        pictured: bool = False,
        quick: bool = False,
        admin: bool = False,
        command: str = "",
    ) -> None:
        words = re.findall("[A-Z][a-z]*", cls.__name__.removeprefix("Asking"))
        cls.name = "-".join(words).lower()
        cls.schema = schema or cls.name
        cls.found, cls.result, cls.rows = found, result, rows
        cls.pictured, cls.quick, cls.admin, cls.command = pictured, quick, admin, command

    @property
    def path(self) -> str:
        """The path of the route that answers the question."""
        return f"/v1/{self.name}"

    def body(self) -> dict[str, object]:
        """Return the fields of a request to this route."""
        return {wire_name(each.name): getattr(self, each.name) for each in fields(self)}

    def answer(self, askers: Askers) -> Found:
        """Answer the question in this process."""
        with askers(getattr(self, "as_of", None)) as asker:
            return self.find(asker)

    def find(self, asker: "Asker") -> Found:
        """Answer the question from the generation of ``asker``."""
        raise NotImplementedError

    def places(self, layout: "Layout") -> Iterable[Path]:
        """Return the files and folders whose paths the fields ``private`` may contain."""
        return ()

    def part(self, kind: type[Part]) -> Part:
        """Return a ``kind``, a dataclass, whose fields are set from the question's fields."""
        wanted = get_type_hints(kind)
        return kind(**{name: value for name, value in vars(self).items() if name in wanted})

    @classmethod
    def found_type(cls) -> Any:
        """Return the class ``found``."""
        return _loaded(cls.found)

    @classmethod
    def written(cls, found: Found) -> "ShownResult":
        """Convert a found object to a result that can be written in every format."""
        from provhouse.output.results.found import FoundResult

        own = cls.result and _loaded(f"output.results.{cls.result}")
        return own(found) if own else FoundResult(found, cls.rows)

    @classmethod
    def described(cls) -> str:
        """Return the first paragraph of the description of the question."""
        return " ".join((cls.__doc__ or "").partition("\n\n")[0].split())

    @classmethod
    def parameters(cls) -> list[Any]:
        """Return the fields of a request, in the order of the documentation.

        Filters of ``Question`` come last.
        """
        return sorted(fields(cls), key=lambda each: OPTIONAL.get(each.name) is each)


class AskingStored(Asking[Found]):
    """A question about tables of the warehouse that belong to no generation.

    It is answered even if nothing was ever ingested.
    """

    local: ClassVar[tuple[str, ...]] = ()
    """Fields that a server does not accept, since they name files or execute queries."""

    def read(self, layout: "Layout") -> Found:
        """Answer the question from the warehouse's tables."""
        raise NotImplementedError

    def read_only(self, layout: "Layout") -> Found:
        """Answer the question without storing anything that is found on the way."""
        return self.read(layout)


def served(
    asked: Asking[Found], layout: "Layout", askers: Askers, watch: "Stopwatch", *, writes: bool
) -> Found:
    """Answer a question of a client within a limited time.

    ``writes`` is whether the client may write into the warehouse. Raises UsageError if the question
    uses a field that is ``local``, and TooSlow when the time is up.
    """
    local = asked.local if isinstance(asked, AskingStored) else ()
    for each in fields(asked):
        if each.name in local and getattr(asked, each.name) != each.default:
            raise UsageError(
                f"A server does not take {each.name}",
                "It names files of the server, or executes queries there",
                "Ask in the warehouse's folder, without a server",
            )
    from provhouse.sql.time_limit import time_limit

    with time_limit(watch):
        if isinstance(asked, AskingStored) and not writes:
            found: Found = asked.read_only(layout)
            return found
        return answered(asked, layout, askers)


def answered(asked: Asking[Found], layout: "Layout", askers: Askers) -> Found:
    """Answer a question in this process."""
    if isinstance(asked, AskingStored):
        found: Found = asked.read(layout)
        return found
    return asked.answer(askers)


def declared(*modules: ModuleType) -> tuple[type[Asking[Any]], ...]:
    """Return the questions that the given modules declare, in the order of declaration."""
    return tuple(
        each
        for module in modules
        for each in vars(module).values()
        if isinstance(each, type)
        and issubclass(each, Asking)
        and each.__module__ == module.__name__
    )


def _loaded(place: str) -> Any:
    module, _, name = place.rpartition(".")
    return getattr(import_module(f"provhouse.{module}"), name)
