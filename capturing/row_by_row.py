"""Declare that a function of ``mapInPandas`` or ``mapInArrow`` works row by row.

The whole module is sent to Spark's Python workers, which may not have provhouse installed. So its
functions import only packages that a worker has.
"""

import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any

MARKED = " (row by row)"
"""The suffix of marked functions' names, by which ``PythonMaps.java`` recognizes them."""
SLOT = "provhouse_slot_"
"""The prefix of the slot columns that the rules add to each row."""

Batches = Iterable[Any]
"""Batches of rows: pandas data frames or Arrow record batches."""


def row_by_row(
    function: Callable[[Iterator[Any]], Batches], *, positions: str | None = None
) -> Callable[[Iterator[Any]], Batches]:
    """Declare that a function of ``mapInPandas`` or ``mapInArrow`` makes each row from one row.

    In a captured block, each row that the function returns then derives from one row. Without the
    declaration, it derives from all rows of its task. The function must return the result of each
    batch before it reads the next batch. Row n of the result is made from row n of the batch, so
    both have the same number of rows. With ``positions``, the function may also leave out, repeat
    and reorder rows. Each of its results must then have a column with this name. For each row of
    the result, the column contains the position, counted from 0, of the batch's row from which the
    row was made. The column is removed from the result, and must not be in the schema.

    The job checks the results while it runs, with or without capture: a wrong number of rows, or a
    position that does not exist in the batch, ends the job with an error that names the function.
    The job cannot check that row n was made only from row n.

    >>> def doubled(batches):
    ...     for batch in batches:
    ...         yield batch.assign(price=2 * batch.price)
    >>> orders.mapInPandas(provhouse.row_by_row(doubled), orders.schema)
    """
    from pyspark import cloudpickle

    register: Any = cloudpickle.register_pickle_by_value
    register(sys.modules[__name__])
    name = getattr(function, "__name__", type(function).__name__)

    def marked(batches: Iterator[Any]) -> Iterator[Any]:
        return _results(function, name, batches, positions)

    marked.__name__ = name + MARKED
    return marked


def _results(
    function: Callable[[Iterator[Any]], Batches],
    name: str,
    batches: Iterator[Any],
    positions: str | None,
) -> Iterator[Any]:
    """Yield the results of a function, each with the slots of the rows from which it was made."""
    taken: list[tuple[int, list[Any]]] = []
    answered = True

    def given() -> Iterator[Any]:
        nonlocal answered
        for batch in batches:
            if not answered and positions is None:
                raise _wrong(name, "has read a batch before returning the result of the last one")
            batch, slots = _without_slots(batch)
            taken[:] = [(len(batch), slots)]
            answered = False
            yield batch

    for result in function(given()):
        if not taken:
            raise _wrong(name, "has returned rows before it has read a batch")
        rows, slots = taken[0]
        if positions is None and (answered or len(result) != rows):
            several = "a second result" if answered else f"{len(result)} rows"
            raise _wrong(name, f"has returned {several} for a batch of {rows} rows")
        answered = True
        yield _with_slots(result, slots, rows, name, positions)
    if not answered and positions is None:
        raise _wrong(name, "has returned nothing for a batch")


def _without_slots(batch: Any) -> tuple[Any, list[Any]]:
    """Return a batch without the slot columns of the rules, and the slot columns."""
    names = _names(batch)
    first = next((at for at, name in enumerate(names) if str(name).startswith(SLOT)), len(names))
    if first == len(names):
        return batch, []
    if _is_pandas(batch):
        slots = [batch[name].to_numpy() for name in names[first:]]
        return batch.drop(columns=names[first:]), slots
    slots = [batch.column(at).to_numpy(zero_copy_only=False) for at in range(first, len(names))]
    return batch.select(names[:first]), slots


def _with_slots(result: Any, slots: list[Any], rows: int, name: str, positions: str | None) -> Any:
    """Return a result with the slots of its rows, but without the column of positions."""
    if positions is not None:
        if positions not in _names(result):
            if not len(result):
                return result
            raise _wrong(name, f"has returned rows without the column {positions}")
        result, at = _without_positions(result, rows, name, positions)
        slots = [slot[at] for slot in slots]
    if not slots or not len(_names(result)):
        return result
    return _wider(result, slots)


def _without_positions(result: Any, rows: int, name: str, positions: str) -> tuple[Any, Any]:
    """Return a result without its column of positions, and these positions."""
    import numpy as np

    if _is_pandas(result):
        at = result[positions].to_numpy()
        result = result.drop(columns=[positions])
    else:
        place = result.schema.names.index(positions)
        at = result.column(place).to_numpy(zero_copy_only=False)
        result = result.select([each for each in result.schema.names if each != positions])
    if len(at) and (at.dtype.kind not in "iu" or at.min() < 0 or at.max() >= rows):
        raise _wrong(name, f"has returned positions that a batch of {rows} rows does not have")
    return result, at.astype(np.int64)


def _wider(result: Any, slots: list[Any]) -> Any:
    """Return a result with one more column for each slot, at the end."""
    import pyarrow as pa

    if not _is_pandas(result):
        columns = [*result.columns, *(pa.array(slot, pa.int64()) for slot in slots)]
        names = [*result.schema.names, *(f"{SLOT}{number}" for number in range(len(slots)))]
        return type(result).from_arrays(columns, names=names)
    wider = result.copy(deep=False)
    named = any(isinstance(name, str) for name in result.columns)
    if not named:  # Spark takes the columns by their positions
        wider.columns = range(len(result.columns))
    for number, slot in enumerate(slots):
        wider[f"{SLOT}{number}" if named else len(result.columns) + number] = slot
    return wider


def _names(batch: Any) -> list[Any]:
    return list(batch.columns) if _is_pandas(batch) else list(batch.schema.names)


def _is_pandas(batch: Any) -> bool:
    return hasattr(batch, "iloc")  # record batches of Arrow have no such attribute


def _wrong(name: str, found: str) -> ValueError:
    return ValueError(
        f"The function {name} is not row by row, as provhouse.row_by_row declares. It {found}. "
        "Correct the function, name its column of positions, or leave out row_by_row."
    )
