"""Warn if a replay on the lineage of rows does not give the rows as they were written."""

import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from provhouse.model.errors import ProvhouseError, UsageError

from .cursor_ids import HELD, ID, CursorIds, Position
from .cursor_places import CursorPlace
from .flow import CapturedFlow
from .rdd_replay import Program, RddReplay
from .replay import is_rdd, on_rows, opened, rows_together

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import DataType

_CLOSE = 1e-9
"""The largest relative difference between two floating-point numbers that count as equal.

The order of rows changes the last digits of sums.
"""


def compare(
    flow: CapturedFlow, position: Position, sources: Position, program: "DataFrame | Program"
) -> None:
    """Warn if a replay on the sources of rows does not give the rows as the block wrote them.

    The replay computes the program of each write again, whatever its operators are; if the write
    saved an RDD, ``program`` is its program. Rows that exist only in the replay do not count as
    differences: an anti join may have removed them because of rows that are not in the lineage. A
    warning is also given for rows that cannot be compared.
    """
    for place, ids in position.items():
        if place.write is None or not place.has_rows:
            continue
        if text := _difference(flow, place, ids, sources, program):
            warnings.warn(text, stacklevel=3)


def _difference(
    flow: CapturedFlow,
    place: CursorPlace,
    ids: CursorIds,
    sources: Position,
    program: "DataFrame | Program",
) -> str:
    """Return the text of a warning, or an empty string."""
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException

    assert place.write is not None
    try:
        again = _again(flow, place.write, sources, program)
        count, row = _missing(_written(flow, place.write, ids), again)
    except ProvhouseError as error:
        return f"The replay was not compared with the rows of {place.name}. {error}"
    except (PySparkException, Py4JJavaError) as error:
        reason = str(error).partition("\n")[0]
        return f"A replay on the lineage of rows of {place.name} fails in Spark: {reason}"
    if not count:
        return ""
    return (
        f"The replay differs from what was written: {count:,} rows of {place.name} are not in it, "
        f"such as {row}\n"
        "The program depends on more than the rows of the lineage: on rows that OFFSET passes "
        "over, the order of equal rows, random values, the time, or the places of rows in files."
    )


def _again(
    flow: CapturedFlow, write: int, sources: Position, program: "DataFrame | Program"
) -> "DataFrame":
    """Return the rows that a replay of ``write`` computes."""
    if is_rdd(flow, write) and callable(program):
        every = rows_together(flow, sources).taken(flow.spark, HELD)
        return RddReplay(flow, program, [place.write for place in sources]).on_few(every, only=True)
    replay, _ = opened(flow, write, range(len(flow.outputs)))
    return on_rows(flow, replay, rows_together(flow, sources), only=True)


def _written(flow: CapturedFlow, write: int, ids: CursorIds) -> "DataFrame":
    """Return the records of the given rows of a write, read from the write's files."""
    numbers = {*ids.files} if ids.files else ids.numbers() if ids.held is not None else None
    files = [file for file in flow.numbers.of_write(write)
             if numbers is None or file.number in numbers]  # fmt: skip
    return flow.records(files, None if ids.files else ids).drop(ID)


def _missing(written: "DataFrame", again: "DataFrame") -> tuple[int, str]:
    """Return the number of written rows that are not in the replay, and one of them as JSON.

    Raises UsageError if the files lack a column of the program.
    """
    from pyspark.sql import functions as F

    names = {name.lower(): name for name in again.columns}
    fields = [field for field in written.schema.fields if field.name.lower() in names]
    _check_columns(names, [field.name.lower() for field in fields])
    wanted = written.select(*(_comparable(field.name, field.dataType) for field in fields))
    given = again.select(
        *(F.col(f"`{names[field.name.lower()]}`").try_cast(field.dataType).alias(field.name)
          for field in fields)
    ).select(*(_comparable(field.name, field.dataType) for field in fields))  # fmt: skip
    missing = wanted.exceptAll(given)
    count, row = _counted(missing)
    floats = {field.name for field in fields if field.dataType.typeName() in ("float", "double")}
    if not count or not floats:
        return count, row
    # exceptAll compares exactly, so compare the remaining rows again
    others = given.exceptAll(wanted).alias("b")
    same = " AND ".join(_same(field.name, field.name in floats) for field in fields)
    return _counted(missing.alias("a").join(others, F.expr(same), "left_anti"))


def _counted(rows: "DataFrame") -> tuple[int, str]:
    """Return the number of rows, and one of the rows as JSON."""
    from pyspark.sql import functions as F

    row = F.to_json(F.struct("*"))
    found = rows.agg(F.count("*").alias("n"), F.first(row).alias("row")).collect()[0]
    return found["n"], found["row"]


def _check_columns(program: Mapping[str, str], files: Sequence[str]) -> None:
    if absent := [name for each, name in program.items() if each not in files]:
        raise UsageError(
            "Their files and the program have different columns",
            f"The files lack the column {absent[0]}",
            "Compare the records yourself, or write the table without column mapping",
        )


def _comparable(name: str, kind: "DataType") -> "Column":
    """Return a column converted to a type that Spark can compare."""
    from pyspark.sql import functions as F

    column, text = F.col(f"`{name}`"), kind.simpleString()
    if "map<" in text or "variant" in text:
        return F.to_json(F.struct(column)).alias(name)
    return column


def _same(name: str, floating: bool) -> str:
    """Return the SQL condition that the rows ``a`` and ``b`` have equal values in a column."""
    one, other = f"a.`{name}`", f"b.`{name}`"
    if not floating:
        return f"{one} <=> {other}"
    close = f"abs({one} - {other}) <= {_CLOSE} * greatest(abs({one}), abs({other}))"
    return f"({one} <=> {other} OR coalesce({close}, false))"
