"""The diff of two results equals a comparison of all rows, and states its cause."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import pytest

from helpers.flow import Flow, write
from helpers.sampled import one_in
from provhouse.workflows.record_diff import RecordChange
from provhouse.workflows.result_files import result_path
from provhouse.workflows.revision_diff import RecordsDiff, diff_revisions

DDL = "create table t(id integer, g varchar, v double, n integer);"
ALL = "select id, g, v, n from t"
Row = tuple[Any, ...]


def stored(
    tmp_path: Path, one: str, other: str, key: Sequence[str] = (), edited: str = f"{ALL} where true"
) -> Flow:
    """Return a workflow with two revisions whose results are the rows of two queries."""
    flow = Flow(tmp_path, DDL)
    for number, (text, rows) in enumerate(((ALL, one), (edited, other)), 1):
        flow.add(text)
        flow.table(f"t{number}", rows)
        path = flow.folder / "out.parquet"
        write(rows, path)
        inputs = {"t": str(flow.folder / f"t{number}.parquet")}
        flow.store_with({"result": path}, number, inputs, key)
    return flow


def difference(flow: Flow, **options: Any) -> RecordsDiff:
    """Return the difference between the results of the first two revisions."""
    found = diff_revisions(flow.layout, "flow@r1", "flow@r2", records=True, **options).results
    assert found
    return found


def table(rows: Sequence[Row]) -> str:
    """Return a query for the chosen rows of the table."""
    listed = ", ".join(f"({', '.join(map(_literal, row))})" for row in rows)
    names = "id, g, v, n"
    types = "id::integer as id, g::varchar as g, v::double as v, n::integer as n"
    values = (
        f"(values {listed}) q({names})" if rows else "(select 1 id, '' g, 1 v, 1 n where false)"
    )
    return f"select {types} from {values}"


def _literal(value: object) -> str:
    return "null" if value is None else f"'{value}'"


def expected(one: Sequence[Row], other: Sequence[Row], key: Sequence[int]) -> Counter[str]:
    """Return how many records were added, removed and changed, found row by row."""
    went, came = Counter(one) - Counter(other), Counter(other) - Counter(one)
    keys = {tuple(row[at] for at in key) for row in (*went, *came)}
    found: Counter[str] = Counter()
    for each in keys:
        gone = sum(n for row, n in went.items() if tuple(row[at] for at in key) == each)
        new = sum(n for row, n in came.items() if tuple(row[at] for at in key) == each)
        if key and (gone, new) == (1, 1):
            found["changed"] += 1
        else:
            found += Counter({"went": gone, "came": new})
    return found


def random_rows(random: Random, duplicates: bool) -> list[Row]:
    """Return rows with NULLs and special numbers, and with distinct or repeated keys."""
    made = []
    for number in range(random.randint(0, 40)):
        key = random.choice([None, 1, 2, 3]) if duplicates else number
        value = random.choice([None, 0.1, "nan", "infinity", 1e300])
        made.append((key, random.choice([None, "", "a", "b,c"]), value, random.randint(0, 2)))
    return made + (made[:3] if duplicates else [])


@pytest.mark.parametrize("duplicates", [False, True])
@pytest.mark.parametrize("key", one_in(6, [(("id", "g"),), ((),), (("id",),)]))
def test_random_results_differ_as_row_by_row(
    tmp_path: Path, key: tuple[str, ...], duplicates: bool
) -> None:
    random = Random(f"{key}{duplicates}")
    one = random_rows(random, duplicates)
    other = [row for row in one if random.random() < 0.8]
    other = [(*row[:3], 9) if random.random() < 0.2 else row for row in other]
    other += [(1000 + n, *row[1:]) for n, row in enumerate(random_rows(random, duplicates)[:4])]
    found = difference(stored(tmp_path, table(one), table(other), key))
    names = ["id", "g", "v", "n"]
    wanted = expected(one, other, [names.index(name) for name in key])
    assert +Counter(came=found.came, went=found.went, changed=found.changed) == wanted
    assert len(found.records) == sum(wanted.values())
    assert bool(found.notes) == (not key)


@pytest.mark.long
def test_equal_results_have_no_difference(tmp_path: Path) -> None:
    rows = table([(1, None, None, None), (1, None, None, None)])
    found = difference(stored(tmp_path, rows, rows, ("id",)))
    assert (found.came, found.went, found.changed, found.records) == (0, 0, 0, ())


@pytest.mark.long
def test_empty_results_are_compared(tmp_path: Path) -> None:
    found = difference(stored(tmp_path, table([]), table([(1, "a", 1.5, 2)]), ("id",)))
    assert (found.came, found.records[0].after) == (1, {"id": "1", "g": "a", "v": "1.5", "n": "2"})


LARGE = (
    "select i::integer as id, 'g' || i % 9 as g, i::double as v, {n} as n from range({rows}) t(i)"
)


@pytest.mark.long
def test_only_buckets_that_differ_are_read(tmp_path: Path) -> None:
    one = LARGE.format(n="1::integer", rows=30_000)
    other = LARGE.format(n="(case when i in (7, 29999) then 2 else 1 end)::integer", rows=30_001)
    flow = stored(tmp_path, one, other, ("id",))
    found = difference(flow)
    assert (found.came, found.went, found.changed) == (1, 0, 2)
    assert (found.buckets, found.unequal) == (512, 3)
    assert difference(flow, key=("v",)).buckets == 0
    assert difference(flow, key=("v",)).changed == 2


@pytest.mark.long
def test_results_of_other_sizes_have_their_buckets_folded(tmp_path: Path) -> None:
    one = LARGE.format(n="1::integer", rows=40_000)
    other = f"select * from ({one}) where id < 3000 or id >= 39990"
    found = difference(stored(tmp_path, one, other, ("id",)))
    assert (found.came, found.went, found.changed) == (0, 36_990, 0)


def test_a_changed_schema_is_reported(tmp_path: Path) -> None:
    flow = Flow(tmp_path, DDL)
    flow.table("t", table([(1, "a", 1.0, 2), (2, "b", 2.0, 3)]))
    for number, text in enumerate(
        ("select id, g, n from t", "select id::bigint as id, n + (id - 1) as n, v from t"), 1
    ):
        flow.execute(flow.add(text), text, "t", key=("id",))
        assert number
    found = difference(flow)
    assert (found.columns_came, found.columns_went) == (("v",), ("g",))
    assert found.columns_retyped == ("id",)
    assert [(each.kind, each.before, each.after) for each in found.records] == [
        ("changed", {"id": "2", "n": "3"}, {"id": "2", "n": "4"})
    ]


OLD = "select id, n from t where n < 5"
NEW = """select id, case when id < 3 then n + 10 else n end as n from t
    where n < 6 and id <> 8"""


def test_causes_are_those_of_all_four_executions(tmp_path: Path) -> None:
    """Records 1 to 8 differ by code, data, both or either; all others are equal."""
    flow = Flow(tmp_path, DDL)
    before = [(1, "", 1, 1), (2, "", 1, 1), (3, "", 1, 1), (4, "", 1, 5), (5, "", 1, 9),
              (6, "", 1, 2), (7, "", 1, 5), (8, "", 1, 1)]  # fmt: skip
    after = [(1, "", 1, 1), (2, "", 1, 2), (3, "", 1, 2), (4, "", 1, 5), (5, "", 1, 5),
             (6, "", 1, 2), (7, "", 1, 3)]  # fmt: skip
    outputs = {}
    for code, text in (("old", OLD), ("new", NEW)):
        for data, rows in (("old", before), ("new", after)):
            flow.table("t", table(rows))
            outputs[code, data] = dict(flow.prepared("t").execute(text).fetchall())
    for number, (text, rows) in enumerate(((OLD, before), (NEW, after)), 1):
        (tmp_path / f"v{number}").mkdir()
        flow.add(text)
        path = tmp_path / f"v{number}" / "t.parquet"
        write(table(rows), path)
        flow.table("t", table(rows))
        out = tmp_path / f"v{number}" / "out.parquet"
        write(text, out, flow.prepared("t"))
        flow.store_with({"result": out}, number, {"t": str(path)}, ("id",))
    found = difference(flow)
    causes = {_id(each): each.cause for each in found.records}
    assert causes == {
        key: _cause(outputs, key)
        for key in range(1, 9)
        if outputs["old", "old"].get(key) != outputs["new", "new"].get(key)
    }
    assert set(causes.values()) == {"code", "data", "both", "either"}


def _cause(outputs: dict[tuple[str, str], dict[int, int]], key: int) -> str:
    """Return the cause of a difference, as defined by ``revisions diff``."""
    first, last = outputs["old", "old"].get(key), outputs["new", "new"].get(key)
    code, data = outputs["new", "old"].get(key), outputs["old", "new"].get(key)
    if (code, data) == (last, first):
        return "code"
    if (code, data) == (first, last):
        return "data"
    return "either" if (code, data) == (last, last) else "both"


@pytest.mark.long
def test_with_equal_inputs_the_code_is_the_cause(tmp_path: Path) -> None:
    flow = Flow(tmp_path, DDL)
    flow.table("t", table([(1, "", 1, 1), (2, "", 1, 5)]))
    for text in (OLD, NEW):
        flow.execute(flow.add(text), text, "t", key=("id",))
    found = diff_revisions(flow.layout, "flow@r1", "flow@r2", records=True)
    assert found.results
    assert {each.cause for each in found.results.records} == {"code"}
    assert (found.verdict, found.inputs) == ("different", ())
    assert found.operator == "filter, operator 2 of 3"


def test_with_equal_queries_the_data_are_the_cause(tmp_path: Path) -> None:
    before = [(1, "a", 1, 1), (2, "b", 1, 1), (3, "c", 1, 1)]
    after = [(1, "a", 1, 2), (2, "b", 1, 1), (4, "d", 1, 1)]
    flow = stored(tmp_path, table(before), table(after), ("id",), f"{ALL} as renamed")
    found = diff_revisions(flow.layout, "flow@r1", "flow@r2", records=True)
    assert (found.verdict, len(found.inputs)) == ("equal", 1)
    assert found.results
    listed = {_id(each): (each.kind, each.cause) for each in found.results.records}
    assert listed == {1: ("changed", "data"), 3: ("went", "data"), 4: ("came", "data")}


def _id(record: RecordChange) -> int:
    values = record.after or record.before
    assert values
    return int(values["id"] or 0)


def test_the_stored_file_has_the_rows_of_the_result(tmp_path: Path) -> None:
    rows = LARGE.format(n="1::integer", rows=5_000)
    flow = stored(tmp_path, rows, rows, ("id",))
    con = duckdb.connect()
    path = result_path(flow.layout, flow.reuse(1).result)
    query = f"select count(*) from ({rows} except all from '{path}')"
    assert con.execute(query).fetchone() == (0,)
