"""Make Python functions pass on the columns that the rules add; Spark's workers run this.

The rules combine the program's pickled function with the source code of this file, because workers
may not have provhouse installed. So this file imports only packages that every worker has.
"""

import pickle
from collections.abc import Callable, Iterator
from inspect import getfullargspec
from itertools import chain
from typing import Any

from pyspark.sql.types import LongType, StructField, StructType
from pyspark.util import PythonEvalType

NAME = "provhouse_group"
"""The name of the group number's column, which is last in a frame and in its result."""
SLOT = "provhouse_slot_"
"""The prefix of the columns with the slots of a row."""
PAIRS = (PythonEvalType.SQL_COGROUPED_MAP_PANDAS_UDF, PythonEvalType.SQL_COGROUPED_MAP_ARROW_UDF)
ITERATORS = (
    PythonEvalType.SQL_GROUPED_MAP_PANDAS_ITER_UDF,
    PythonEvalType.SQL_GROUPED_MAP_ARROW_ITER_UDF,
)

Numbers = dict[str, int | None]
"""The group number of each input, by the name of the number's column; None for an empty input."""


def carrying(command: bytes, eval_type: int) -> tuple[Callable[..., Any], StructType]:
    """Wrap a pickled function so that each row of its result has the row's group numbers.

    The wrapper removes the last column of each frame before it calls the function. Returns the
    wrapped function and the type of its result.
    """
    function, result = _loaded(command)
    names = [f"{NAME}_{side}" for side in range(1 + (eval_type in PAIRS))]
    fields = [*result.fields, *(StructField(name, LongType()) for name in names)]

    def of_frames(*arguments: Any) -> Any:
        keys, frames = arguments[: -len(names)], arguments[-len(names) :]
        taken = [_taken(frame) for frame in frames]
        numbers = dict(zip(names, (number for number, _ in taken), strict=True))
        return _numbered(function(*keys, *(frame for _, frame in taken)), numbers)

    def of_iterator(*arguments: Any) -> Iterator[Any]:
        *keys, frames = arguments
        number, first = _taken(next(frames))
        rest = (_taken(frame)[1] for frame in frames)
        results = function(*keys, chain([first], rest))
        return (_numbered(each, {names[0]: number}) for each in results)

    called = of_iterator if eval_type in ITERATORS else of_frames
    return _with_arity(called, len(getfullargspec(function).args)), StructType(fields)


def returning(command: bytes, slots: int) -> tuple[Callable[..., Any], StructType]:
    """Unpickle a function, and add a column for each slot to its result type.

    ``provhouse.row_by_row`` made the function, so it passes on the slots of its input.
    """
    function, result = _loaded(command)
    more = (StructField(f"{SLOT}{slot}", LongType()) for slot in range(slots))
    return function, StructType([*result.fields, *more])


def _loaded(command: bytes) -> tuple[Callable[..., Any], StructType]:
    """Return the function of a pickled command and the type of its result."""
    loaded = pickle.loads(command)
    if not isinstance(loaded, tuple):  # Spark sends a long command as a broadcast
        loaded = pickle.loads(loaded.value)
    function, result = loaded
    return function, result


def _with_arity(function: Callable[..., Any], arity: int) -> Callable[..., Any]:
    """Return a function with ``arity`` named arguments.

    Spark counts the arguments of a function to decide whether to pass the key.
    """
    if arity == 1:
        return lambda a: function(a)
    if arity == 3:
        return lambda a, b, c: function(a, b, c)
    return lambda a, b: function(a, b)


def _taken(frame: Any) -> tuple[int | None, Any]:
    """Return a frame's group number, and the frame without its last column."""
    import pandas as pd

    if isinstance(frame, pd.DataFrame):
        column = frame.pop(frame.columns[-1])
        return (int(column.iloc[0]) if len(column) else None), frame
    last = frame.num_columns - 1
    number = frame.column(last)[0].as_py() if frame.num_rows else None
    return number, frame.select([*range(last)])


def _numbered(result: Any, numbers: Numbers) -> Any:
    """Return ``result`` with the group numbers as further columns.

    A result that is not a frame, or that does not have columns, is returned unchanged, since Spark
    refuses it.
    """
    import pandas as pd
    import pyarrow as pa

    if isinstance(result, pd.DataFrame):
        return _numbered_pandas(result, numbers) if len(result.columns) else result
    if not isinstance(result, pa.Table | pa.RecordBatch) or not result.num_columns:
        return result
    columns, schema = [*result.columns], result.schema
    for name, number in numbers.items():
        columns.append(pa.array([number] * result.num_rows, pa.int64()))
        schema = schema.append(pa.field(name, pa.int64()))
    return type(result).from_arrays(columns, schema=schema)


def _numbered_pandas(result: Any, numbers: Numbers) -> Any:
    wider = result.copy(deep=False)
    names: list[Any] = [*numbers]
    if not any(isinstance(name, str) for name in result.columns):  # Spark takes them by position
        wider.columns = range(len(result.columns))
        names = [*range(len(result.columns), len(result.columns) + len(numbers))]
    for name, number in zip(names, numbers.values(), strict=True):
        wider[name] = number
    return wider
