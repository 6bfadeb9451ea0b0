"""The variants in the interactive benchmark find the same records, and its goals are evaluated."""

import duckdb

from benchmarks.interactive.interactive_table import goals, table
from benchmarks.interactive.lineage_contenders import ours
from benchmarks.interactive.results_form import Contender, Results, Times
from provhouse.interactive import connect

SQL = """
    select l_returnflag flag, count(*) n from lineitem, orders
    where l_orderkey = o_orderkey and o_orderkey <> 3
    group by l_returnflag order by n desc limit 1"""


def test_all_ways_find_the_records_of_the_first_row() -> None:
    con = connect(duckdb.connect())
    con.execute("create table orders as select range as o_orderkey from range(9)")
    con.execute("""
        create table lineitem as select range % 10 as l_orderkey,
            case when range % 4 > 0 then 'R' end as l_returnflag from range(100)""")
    found, rids = ours(con, "q", SQL, 1)
    expected = [at for at in range(100) if at % 10 not in (3, 9) and at % 4]
    assert rids.tolist() == expected
    assert len(found) == 4
    assert {each["records"] for each in found} == {len(expected)}
    assert all(each["same"] for each in found)


def test_ways_that_are_ahead_and_other_records_are_shown() -> None:
    text = table(results(ours=5, theirs=9, same=False))
    assert "query and first question ahead of Perm: yes" in text
    assert "9 / 9, other records: 7" in text
    assert "ahead of Perm (behind in q03): **no**" in table(results(ours=10, theirs=9, same=True))


def test_every_share_counts() -> None:
    met = goals(results(ours=1, theirs=2, same=True))
    assert met["queries over records ahead at every share (behind: filter of 50 %)"] is False


def results(ours: float, theirs: float, same: bool) -> Results:
    """Return results with one query of each part."""
    none: Times = {"cpu": 0, "wall": 0}

    def way(name: str, milliseconds: float, same: bool) -> Contender:
        times: Times = {"cpu": milliseconds, "wall": milliseconds}
        return {"query": "q03", "way": name, "capture": times, "lineage": none, "records": 7,
                "same": same}  # fmt: skip

    index = {0.1: 1, 0.5: 4}
    return {
        "date": "2026-01-01", "load": 0, "versions": {}, "scale": "1", "rows": 10, "repeats": 1,
        "machine": {"cpu": "x", "cores": 2, "memory_gib": 1}, "code": "", "missing": "",
        "tpch": [], "groups": [], "links": [], "dependencies": [],
        "contenders": [
            way("provhouse, captured", ours, True), way("provhouse, on demand", 20, True),
            way("Perm", theirs, same),
        ],
        "consuming": [
            {"query": "filter", "share": share, "way": name, "times": {"cpu": each, "wall": each}}
            for share, first in index.items()
            for name, each in (("index", first), ("index-free", 3), ("re-executed", 9))
        ],
    }  # fmt: skip
