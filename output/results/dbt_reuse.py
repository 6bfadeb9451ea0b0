"""The models to build after an edit of a dbt project, as text for people, JSON and CSV."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from ..escape import shown
from ..sections import Section, facts, grid, headed, noted, styled
from ..shown_result import Csv, Json, ShownResult

if TYPE_CHECKING:
    from provhouse.workflows.dbt.model_refutation import ExampleRows, ModelExample
    from provhouse.workflows.dbt.reuse_plan import ReusePlan

SHOWN = 5
"""The number of rows of each kind that are printed of an example."""
_COLUMNS = ("node", "changed", "verdict", "reason", "columns", "build", "why_built")


@dataclass(frozen=True)
class DbtReuseResult(ShownResult):
    """Verdicts on the changed nodes of a project, and what must be built."""

    plan: "ReusePlan"

    def text(self, timing: bool = False) -> Iterator[Section]:
        """Yield the number of builds, the verdicts, the affected readers, and the assumptions."""
        yield styled(headline(self.plan), "bold")
        if self.plan.refused:
            yield from noted([f"No model is compared: {self.plan.refused}"])
        if self.plan.changed:
            table = grid("changed", after=("verdict", "reason"))
            for each in self.plan.changed:
                table.add_row(*map(styled, (shown(name(each.node)), each.verdict, why(each))))
            yield from headed("Changed", table)
        if self.plan.readers:
            table = grid("model", after=("build", "reason"))
            for reader in self.plan.readers:
                row = (
                    shown(name(reader.node)),
                    "yes" if reader.why_built else "no",
                    reader.why_built,
                )
                table.add_row(*map(styled, row))
            yield from headed("What reads them", table)
        for each in self.plan.changed:
            if each.example:
                yield from headed(f"Example for {name(each.node)}", facts(_listed(each.example)))
        yield from headed("Beside these", facts(others(self.plan)))

    def json(self) -> Iterator[Json]:
        """Yield one object, as ``schemas/dbt-reuse.json`` describes it."""
        found = _plain(asdict(self.plan))
        for each in (*found["changed"], *found["readers"]):
            each["build"] = bool(each["why_built"])
        yield {**found, "saved": list(self.plan.saved)}

    def csv(self) -> Csv:
        """Return a row for each changed node, and for each node that reads one."""
        rows: list[Sequence[object]] = [
            (each.node, True, each.verdict, each.reason, list(each.columns), *_build(each))
            for each in self.plan.changed
        ]
        rows += [(each.node, False, "", "", [], *_build(each)) for each in self.plan.readers]
        return _COLUMNS, rows


def name(node: str) -> str:
    """Return the display name of a node, such as ``orders``."""
    return ".".join(node.split(".")[2:])


def headline(plan: "ReusePlan") -> str:
    """Return how much must be built, and how much dbt would build."""
    if not plan.changed and not plan.build:
        return "No model changed: nothing needs a build"
    build, usual = len(plan.build), len(plan.modified)
    done = f"{build:,} to build" if build else "Nothing needs a build"
    return (
        f"{done}; dbt builds {usual:,} for state:modified+, {len(plan.saved):,} of them for nothing"
    )


def why(each: Any) -> str:
    """Return the reason of a verdict, and why the node must be built, if this is different."""
    reason = each.reason
    if each.columns and each.verdict != "new":
        reason += f" ({', '.join(map(shown, each.columns))})"
    if each.why_built and each.why_built != each.reason:
        reason += f"; build: {each.why_built}"
    return str(reason)


def others(plan: "ReusePlan") -> Iterator[tuple[str, str]]:
    """Yield notes that a reader of the verdicts should know."""
    if plan.build:
        yield "build", " ".join(name(node) for node in plan.build)
    if plan.removed:
        yield "removed", ", ".join(name(node) for node in plan.removed)
    if plan.exposures:
        yield "sees other rows", ", ".join(plan.exposures)
    for text in plan.assumptions:
        yield "assumed", text


def _build(each: Any) -> tuple[bool, str]:
    return bool(each.why_built), each.why_built


def _listed(example: "ModelExample") -> Iterator[tuple[str, str]]:
    for table, rows in example.tables.items():
        yield f"table {table}", _rows(rows)
    yield "only the base gives", _rows(example.only_base)
    yield "only the edit gives", _rows(example.only_head)


def _rows(found: "ExampleRows") -> str:
    listed = ", ".join(f"({', '.join(cells(row))})" for row in found.rows[:SHOWN])
    more = ", …" if len(found.rows) > SHOWN else ""
    return f"({', '.join(found.columns)}): {listed or 'no rows'}{more}"


def cells(row: Sequence[Any]) -> list[str]:
    """Return values in a readable format."""
    return ["NULL" if value is None else str(value) for value in row]


def _plain(value: Any) -> Any:
    """Return a value as JSON, with strings in place of everything that JSON lacks."""
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value if value is None or isinstance(value, bool | int | str) else str(value)
