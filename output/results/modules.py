"""The modules of a generation, and the invocations of one module."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from ..arrow_rows import tuples
from ..escape import shown
from ..phrases import counted, listed
from ..sections import Section, grid, styled
from ..shown_result import Csv, Json, ShownResult
from .derivation_list import as_of_sentence

if TYPE_CHECKING:
    from provhouse.query.listing.modules import Invocations, Modules

SHOWN = 100
"""The largest number of modules or invocations printed for people."""
NAMES = 6
"""The largest number of ops or tables printed for a module."""
_LISTS = ("ops", "inputs", "state", "outputs")
_COLUMNS = ("module", "workflow", *_LISTS, "born")


@dataclass(frozen=True)
class ModulesResult(ShownResult):
    """A row for each module, in order of name."""

    found: "Modules"
    listed = True

    def text(self, timing: bool = False) -> Iterator[Section]:
        """Yield a table with the first modules: their workflow, ops and tables."""
        modules = self.found.modules
        if modules:
            table = grid("module", after=("workflow", *_LISTS))
            for each in modules[:SHOWN]:
                lists = (listed(getattr(each, name), NAMES) for name in _LISTS)
                table.add_row(
                    *map(styled, (shown(each.module), shown(each.workflow or ""), *lists))
                )
            yield table
        yield styled(f"{_number(len(modules), 'module')} {as_of_sentence(self.found)}", "dim")

    def json(self) -> Iterator[Json]:
        """Yield an object for each module; see ``schemas/modules.json``."""
        return (asdict(each) for each in self.found.modules)

    def csv(self) -> Csv:
        """Return a row for each module."""
        rows: list[Sequence[object]] = [
            tuple(getattr(each, name) for name in _COLUMNS) for each in self.found.modules
        ]
        return _COLUMNS, rows


@dataclass(frozen=True)
class InvocationsResult(ShownResult):
    """A row for each invocation of a module: its run, execution and call, and its triples."""

    found: "Invocations"
    listed = True

    def text(self, timing: bool = False) -> Iterator[Section]:
        """Yield a table with the first invocations."""
        rows = self.found.invocations
        if rows.num_rows:
            table = grid("run", "execution", "invocation", right=("triples",))
            for _, *names, triples in tuples(rows.slice(0, SHOWN)):
                table.add_row(*(styled(shown(str(n)) if n else "") for n in names), f"{triples:,}")
            yield table
        number = _number(rows.num_rows, f"invocation of {shown(self.found.module)}")
        yield styled(f"{number} {as_of_sentence(self.found)}", "dim")

    def json(self) -> Iterator[Json]:
        """Yield an object for each invocation; see ``schemas/invocations.json``."""
        names = self.found.invocations.column_names
        return (dict(zip(names, row, strict=True)) for row in tuples(self.found.invocations))

    def csv(self) -> Csv:
        """Return a row for each invocation."""
        return self.found.invocations.column_names, tuples(self.found.invocations)


def _number(count: int, word: str) -> str:
    first, *rest = word.split(" ", 1)
    more = f", of which the first {SHOWN} are shown" if count > SHOWN else ""
    return " ".join([counted(count, first), *rest]) + more + "."
