"""The results of a Texera workflow as the sinks of one revision.

A sink is an operator without an outgoing link. Five types of operators are supported, with all
their properties: CSVFileScan, Filter, Projection, Distinct and Union. An operator of any other
type, or with an unsupported property, is opaque: results that derive from it are never reused. Data
that only the editor uses, such as positions and names of boxes, are not part of a plan.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from provhouse.equivalence.empty_database import empty_database
from provhouse.equivalence.plan_form import (
    AggregatedRows,
    Call,
    Column,
    ColumnReference,
    Constant,
    Filter,
    Opaque,
    Operator,
    PlanForm,
    Project,
    Scan,
    Union,
)
from provhouse.model.errors import BadInput
from provhouse.model.progress import Progress
from provhouse.model.settings import Settings

from .revision_names import check_workflow
from .revisions import Added, SinkPlan, store_revision

TEXERA = "texera"
FILE = {
    "operators",
    "links",
    "settings",
    "operatorPositions",
    "commentBoxes",
    "groups",
    "breakpoints",
}
"""The parts of a workflow file. Only the editor and its debugger use the last four."""
SHOWN = {"inputPorts", "outputPorts", "showAdvanced", "viewResult", "markedForReuse",
         "customDisplayName"}  # fmt: skip
"""The parts of an operator that only the editor uses."""
READ = {"operatorID", "operatorType", "operatorVersion", "operatorProperties", "isDisabled",
        "dynamicInputPorts", "dynamicOutputPorts"}  # fmt: skip
CONDITIONS = ("=", ">", ">=", "<", "<=", "!=", "is null", "is not null")
BATCH = "dataTransferBatchSize"
"""The setting for how many rows are sent at once. It does not affect results."""


class _NotRead(Exception):
    """Raised if an operator cannot be translated. The message is the reason."""


@dataclass(frozen=True)
class _Translated:
    """A translated operator, and the names of its columns."""

    operator: Operator
    names: tuple[str, ...]

    def at(self, name: object) -> ColumnReference:
        if name not in self.names:
            raise _NotRead(f"the unknown attribute {name}")
        return ColumnReference(self.names.index(str(name)))


def add_texera(workflow: str, text: str, ddl: str, settings: Settings, progress: Progress) -> Added:
    """Store a revision with a sink for each result of a workflow, unless it equals the newest one.

    Raises BadInput if the text is not a workflow, and Busy if another writer is active.
    """
    check_workflow(workflow)
    return store_revision(workflow, texera_sinks(text, ddl), settings, progress)


def texera_sinks(text: str, ddl: str) -> Mapping[str, SinkPlan]:
    """Return a sink for each operator without an outgoing link, by its name in the editor.

    ``ddl`` declares the columns of each CSV file, as a table with the file's name. Raises BadInput
    if the text is not a workflow.
    """
    try:
        found = _Workflow(json.loads(text), ddl)
        ends = [each for each in found.operators if each not in found.sources]
        shown = {each: found.operators[each].get("customDisplayName") or each for each in ends}
        times = Counter(shown.values())
        names = {each: name if times[name] == 1 else each for each, name in shown.items()}
        sinks = {names[each]: SinkPlan.of_plan(TEXERA, found.plan(each)) for each in ends}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise _no_workflow("A part is missing, unknown, or has another form") from error
    if not sinks:
        raise _no_workflow("No operator is the last one")
    return sinks


def _no_workflow(found: str) -> BadInput:
    wanted = "The file has no workflow of Texera"
    return BadInput(wanted, found, "Use the JSON that Texera's editor exports")


class _Workflow:
    """The operators of a workflow file, and the links between them."""

    def __init__(self, file: Any, ddl: str) -> None:
        if more := file.keys() - FILE:
            raise ValueError(f"the part {min(more)} is not known")
        self.operators = {each["operatorID"]: each for each in file["operators"]}
        self.sources = {each["source"]["operatorID"] for each in file["links"]}
        self._links = [(each["source"], each["target"]) for each in file["links"]]
        self._made: dict[str, _Translated] = {}
        self._settings = file.get("settings") or {}
        with empty_database(ddl) as database:
            self._tables = {path[-1]: listed for path, listed in database.columns.items()}

    def plan(self, end: str) -> PlanForm:
        """Return the plan of one result."""
        rows = self._rows(end)
        below = [self.operators[each] for each in self._below(end)]
        versions = {f"{each['operatorType']} {each.get('operatorVersion')}" for each in below}
        settings = sorted(self._settings.items())
        options = tuple((name, json.dumps(value)) for name, value in settings if name != BATCH)
        return PlanForm(TEXERA, ", ".join(sorted(versions)), options, rows.names, rows.operator)

    def _below(self, end: str) -> set[str]:
        """Return an operator and all operators upstream of it."""
        found, new = {end}, [end]
        while new:
            more = {source for source, _ in self._into(new.pop())} - found
            found |= more
            new += more
        return found

    def _into(self, end: str) -> list[tuple[str, str]]:
        """Return the source and the target port of each link that leads to an operator."""
        found = [(source, target) for source, target in self._links if target["operatorID"] == end]
        ports = sorted((target["portID"], source["operatorID"]) for source, target in found)
        return [(source, port) for port, source in ports]

    def _rows(self, end: str) -> _Translated:
        if end not in self._made:
            self._made[end] = self._translated(end)
        return self._made[end]

    def _translated(self, end: str) -> _Translated:
        made, into = self.operators[end], self._into(end)
        inputs = [self._rows(source) for source, _ in into]
        try:
            if opaque := [each.operator for each in inputs if isinstance(each.operator, Opaque)]:
                raise _NotRead(opaque[0].reason)
            self._check(end, made, [port for _, port in into])
            return READERS[made["operatorType"]](_Properties(made), inputs, self._tables)
        except _NotRead as error:
            said = json.dumps([made["operatorType"], made["operatorProperties"], into])
            digest = hashlib.sha256(said.encode()).hexdigest()
            below = tuple(each.operator for each in inputs)
            return _Translated(Opaque(below, (), "", str(error), digest), ())

    def _check(self, end: str, made: Any, ports: Sequence[str]) -> None:
        """Raise _NotRead for an unsupported operator type, or for more than one kind of input."""
        kind = made["operatorType"]
        if kind not in READERS:
            raise _NotRead(f"the operator {kind}")
        if made.get("isDisabled"):
            raise _NotRead(f"the disabled operator {kind}")
        odd = sorted(made.keys() - READ - SHOWN)
        odd += [name for name in ("dynamicInputPorts", "dynamicOutputPorts") if made.get(name)]
        every = [*made.get("inputPorts", ()), *made.get("outputPorts", ())]
        odd += ["partitionRequirement" for port in every if port.get("partitionRequirement")]
        if odd:
            raise _NotRead(f"{odd[0]} of {kind}")
        out = {source["portID"] for source, _ in self._links if source["operatorID"] == end}
        count = {"CSVFileScan": not ports, "Union": bool(ports)}.get(kind, len(ports) == 1)
        if not count or {*ports} - {"input-0"} or out - {"output-0"}:
            raise _NotRead(f"the links of {kind}")


class _Properties:
    """The properties of an operator. All of them must be read, so that none is overlooked."""

    def __init__(self, made: Any) -> None:
        self._kind, self._left = made["operatorType"], dict(made["operatorProperties"])

    def take(self, name: str, default: object = None) -> Any:
        """Return a property, and mark it as read."""
        return self._left.pop(name, default)

    def close(self) -> None:
        """Raise _NotRead if a property with a value has not been read."""
        left = sorted(name for name, value in self._left.items() if value is not None)
        if left:
            raise _NotRead(f"{left[0]} of {self._kind}")


_Tables = Mapping[str, Sequence[tuple[str, str]]]


def _scan(given: _Properties, _: Sequence[_Translated], tables: _Tables) -> _Translated:
    file = given.take("fileName")
    named = {
        "encoding": given.take("fileEncoding", "UTF_8"),
        "delimiter": given.take("customDelimiter") or ",",
        "header": given.take("hasHeader", True),
    }
    given.close()
    stem = PurePosixPath(file).stem
    if stem not in tables:
        raise BadInput(
            f"The schema has no table {stem}",
            f"The workflow reads {file}",
            "Add a CREATE TABLE with the columns of this file",
        )
    names = tuple(name for name, _ in tables[stem])
    columns = tuple(Column(type_, nullable=True) for _, type_ in tables[stem])
    reading = ("csv", *(f"{name}={json.dumps(value)}" for name, value in named.items()))
    return _Translated(Scan((), columns, "", (file, stem), names, (), reading), names)


def _filter(given: _Properties, inputs: Sequence[_Translated], _: _Tables) -> _Translated:
    (rows,), predicates = inputs, given.take("predicates")
    given.close()
    found = tuple(_predicate(rows, each) for each in predicates)
    condition = found[0] if len(found) == 1 else Call("CONJUNCTION_OR", "BOOLEAN", found)
    return _Translated(
        Filter((rows.operator,), rows.operator.columns, "", (condition,)), rows.names
    )


def _predicate(rows: _Translated, each: Mapping[str, Any]) -> Call:
    condition = each["condition"]
    if each.keys() - {"attribute", "condition", "value"} or condition not in CONDITIONS:
        raise _NotRead("a predicate of Filter")
    value = Constant("text", json.dumps(each.get("value")))
    return Call(f"texera {condition}", "BOOLEAN", (rows.at(each["attribute"]), value))


def _project(given: _Properties, inputs: Sequence[_Translated], _: _Tables) -> _Translated:
    (rows,), drops, chosen = inputs, given.take("isDrop", False), given.take("attributes")
    given.close()
    if any(
        not isinstance(each, dict) or each.keys() - {"originalAttribute", "alias"}
        for each in chosen
    ):
        raise _NotRead("an attribute of Projection")
    originals = [each["originalAttribute"] for each in chosen]
    kept = [rows.at(name) for name in originals]
    aliases = [each.get("alias") or "" for each in chosen]
    names = [one if one.strip() else other for one, other in zip(aliases, originals, strict=True)]
    if drops:
        names = [name for name in rows.names if name not in originals]
        kept = [rows.at(name) for name in names]
    if len({*names}) < len(names) or not chosen:
        raise _NotRead("attributes of Projection")
    columns = tuple(rows.operator.columns[each.position] for each in kept)
    return _Translated(Project((rows.operator,), columns, "", tuple(kept)), tuple(names))


def _distinct(given: _Properties, inputs: Sequence[_Translated], _: _Tables) -> _Translated:
    given.close()
    (rows,) = inputs
    columns = rows.operator.columns
    groups = tuple(ColumnReference(at) for at in range(len(columns)))
    every = (tuple(range(len(columns))),)
    return _Translated(
        AggregatedRows((rows.operator,), columns, "", groups, every, (), ()), rows.names
    )


def _union(given: _Properties, inputs: Sequence[_Translated], _: _Tables) -> _Translated:
    given.close()
    first, *others = inputs
    if any(each.names != first.names or each.operator.columns != first.operator.columns
           for each in others):  # fmt: skip
        raise _NotRead("a Union of different columns")
    below = tuple(each.operator for each in inputs)
    return _Translated(Union(below, first.operator.columns, ""), first.names)


READERS: Mapping[str, Callable[[_Properties, Sequence[_Translated], _Tables], _Translated]] = {
    "CSVFileScan": _scan,
    "Filter": _filter,
    "Projection": _project,
    "Distinct": _distinct,
    "Union": _union,
}
"""The function that translates each type of operator."""
