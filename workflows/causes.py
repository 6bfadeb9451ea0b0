"""The cause of each difference: the code, the data, either one alone, or only both together.

The old code is executed on the new data, and the new code on the old data. If one of these returns
a key's old rows and the other its new rows, the cause is certain. SQL is executed in DuckDB. For
captured jobs, users store the two executions themselves.
"""

from collections.abc import Sequence

import duckdb

from provhouse.equivalence.plan_form import doubts
from provhouse.model.errors import BadInput
from provhouse.store.warehouse.layout import Layout

from .crossed import crossed
from .executed import executed_rows
from .executions import Execution, not_offered, results_of
from .record_diff import Shape, project
from .result_files import ResultFile, result_path
from .revisions import SinkPlan

CODE, DATA = "code", "data"
CASES = """case
    when new_code is not distinct from new and new_data is not distinct from old then 'code'
    when new_data is not distinct from new and new_code is not distinct from old then 'data'
    when new_data is not distinct from new and new_code is not distinct from new then 'either'
    else 'both' end"""


def set_causes(
    con: duckdb.DuckDBPyConnection,
    layout: Layout,
    plans: tuple[SinkPlan, SinkPlan],
    executions: tuple[Execution, Execution],
    results: tuple[ResultFile, ResultFile],
    shape: Shape,
    key: Sequence[str],
    changed_inputs: Sequence[str],
) -> str:
    """Set the causes in the table ``differences``; return why they are unknown, or ""."""
    if unsure := [each for plan in plans if plan.source != "sql" for each in doubts(plan.plan)]:
        return f"Causes are not known. The rows may depend on more than the inputs: {unsure[0]}"
    if plans[0].key == plans[1].key or not changed_inputs:
        cause = DATA if changed_inputs else CODE
        con.execute("update differences set cause = ?", [cause])
        return ""
    try:
        crossing = (("new_data", plans[0], executions[1], results[0]),
                    ("new_code", plans[1], executions[0], results[1]))  # fmt: skip
        for view, plan, execution, result in crossing:
            _execute(con, layout, view, plan, execution, result)
            types = dict(zip(result.columns, result.types, strict=True))
            project(con, f"{view}_executed", view, shape.columns, types, key)
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
    layout: Layout,
    view: str,
    plan: SinkPlan,
    execution: Execution,
    result: ResultFile,
) -> None:
    """Create a view of the rows of a plan on the inputs of another execution."""
    if plan.source == "sql":
        rows = executed_rows(plan, execution.inputs, result.columns, result.types)
        con.register(f"{view}_executed", rows)
        return
    other = crossed(layout, plan, execution.inputs)
    stored = results_of(layout).get(other.result)
    if stored is None or not_offered(layout, stored):
        raise BadInput(f"The result of {other.revision} is gone", not_offered(layout, stored))
    path = str(result_path(layout, stored.result)).replace("'", "''")
    con.execute(f"create view {view}_executed as from read_parquet('{path}')")


def _values(view: str, name: str) -> str:
    """Return SQL for the rows of each differing key, as one string per key."""
    return f"""(select key_text as key, to_json(list(row_text order by row_text))::varchar as {name}
        from {view} where key_text in (select key from differences) group by key_text)"""
