"""The cause of each difference: the code, the data, either alone, or only both together.

The old code is executed again on the new data, and the new code on the old data. Where one of them
gives the old rows of a key and the other the new rows, the cause is certain.
"""

from collections.abc import Sequence

import duckdb

from provhouse.model.errors import BadInput

from .executed import executed_rows
from .executions import Execution
from .record_diff import Shape, project
from .result_files import ResultFile
from .revisions import SinkPlan

CODE, DATA = "code", "data"
CASES = """case
    when new_code is not distinct from new and new_data is not distinct from old then 'code'
    when new_data is not distinct from new and new_code is not distinct from old then 'data'
    when new_data is not distinct from new and new_code is not distinct from new then 'either'
    else 'both' end"""


def set_causes(
    con: duckdb.DuckDBPyConnection,
    plans: tuple[SinkPlan, SinkPlan],
    executions: tuple[Execution, Execution],
    results: tuple[ResultFile, ResultFile],
    shape: Shape,
    key: Sequence[str],
    changed_inputs: Sequence[str],
) -> str:
    """Set the cause in the table ``differences``; return why it is not known, or an empty text."""
    if plans[0].key == plans[1].key or not changed_inputs:
        cause = DATA if changed_inputs else CODE
        con.execute("update differences set cause = ?", [cause])
        return ""
    try:
        _execute(con, "new_data", plans[0], executions[1], results[0], shape, key)
        _execute(con, "new_code", plans[1], executions[0], results[1], shape, key)
    except BadInput as error:
        return f"Causes are not known. {error.wanted}: {error.found}"
    con.execute(
        f"""create temp table causes as
        select key, {CASES} as cause from (select distinct key from differences)
        left join {_values("before_rows", "old")} using (key)
        left join {_values("after_rows", "new")} using (key)
        left join {_values("new_data", "new_data")} using (key)
        left join {_values("new_code", "new_code")} using (key)"""
    )
    con.execute("update differences set cause = causes.cause from causes "
                "where differences.key = causes.key")  # fmt: skip
    return ""


def _execute(
    con: duckdb.DuckDBPyConnection,
    view: str,
    plan: SinkPlan,
    execution: Execution,
    result: ResultFile,
    shape: Shape,
    key: Sequence[str],
) -> None:
    """Make a view of the rows of a plan on the inputs of another execution."""
    rows = executed_rows(plan, execution.inputs, result.columns, result.types)
    con.register(f"{view}_executed", rows)
    types = dict(zip(result.columns, result.types, strict=True))
    project(con, f"{view}_executed", view, shape.columns, types, key)


def _values(view: str, name: str) -> str:
    """Return SQL for the rows of each key that differs, as one text."""
    return f"""(select key_text as key, to_json(list(row_text order by row_text))::varchar as {name}
        from {view} where key_text in (select key from differences) group by key_text)"""
