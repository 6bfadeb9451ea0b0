"""Cursors over records that RDDs read and saved lead to the lines that an interpreter finds."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pyspark.sql import SparkSession

from helpers.rdd_captured import Rows, lineage_context
from helpers.rdd_programs import Followed, pair
from helpers.trace_check import rows_of
from helpers.warehouse import House
from provhouse.capturing.reading.finished import captured_writes, outputs_of
from provhouse.capturing.walks import text_lines
from provhouse.capturing.walks.cursor import Cursor
from provhouse.capturing.walks.cursor_ids import CursorIds
from provhouse.capturing.walks.flow import CapturedFlow
from provhouse.capturing.walks.raw_records import records
from provhouse.model.associations import ROW_BITS
from provhouse.model.errors import UsageError

HELD = {
    "t": ["1 a", "1 a", "", "2 b", "-1 a", "-2 a", "x", "3 ab"],
    "u": ["1 b", "", "1 a", "4 c", "-2 a"],
}


def joined(opened: Callable[[str], Any]) -> Any:
    """Reduce by key, join, unite and sort records."""
    one, two = opened("t").map(pair), opened("u").map(pair)
    merged = one.reduceByKey(max).leftOuterJoin(two.union(one))
    return merged.sortBy(repr).map(repr)


def counted(lines: Any) -> Any:
    """Count lines by their first two characters."""
    return lines.map(lambda line: (line[:2], 1)).reduceByKey(lambda a, b: a + b).map(repr)


def row(flow: CapturedFlow, number: int) -> Cursor:
    """Return a cursor at the row whose ID is ``number``."""
    place = flow.place_of_file(flow.numbers.files[number >> ROW_BITS])
    return Cursor(flow, lambda: {place: CursorIds(np.array([number]))})


def traced(flow: CapturedFlow, table: str) -> Rows:
    """Return the lines of a table, each with the source lines to which it leads back."""
    (files,) = flow.files_of(table).values()
    found: Rows = Counter()
    for line, number in records(flow.spark, files, None).collect():
        sources = rows_of(row(flow, number).go_back_all())
        found[line, frozenset((Path(path).stem, at) for path, at in sources)] += 1
    return found


def right(made: Followed) -> Rows:
    return Counter((value, lines) for value, lines in made.records)


def saved_twice(spark: SparkSession, folder: Path) -> CapturedFlow:
    """Save an RDD that joins two files, and then one that counts the lines of the first."""
    for name, lines in HELD.items():
        (folder / f"{name}.txt").write_text("".join(f"{line}\n" for line in lines))
    with lineage_context(spark, folder / "taps") as context:
        made = joined(lambda name: context.textFile(str(folder / f"{name}.txt"), 2))
        made.saveAsTextFile(str(folder / "joined"))
        again = context.textFile(str(folder / "joined"), 3)
        counted(again).saveAsTextFile(str(folder / "counted"))
    return CapturedFlow(spark, outputs_of(captured_writes(folder / "taps")))


@pytest.mark.long
def test_rows_lead_to_the_lines_of_sources_through_two_saves(
    spark: SparkSession, tmp_path: Path
) -> None:
    flow = saved_twice(spark, tmp_path)
    expected = joined({name: Followed.of(name, lines) for name, lines in HELD.items()}.__getitem__)
    assert traced(flow, "counted") == right(counted(expected))


@pytest.mark.long
def test_rows_lead_to_the_lines_of_sources_through_two_saves_and_back(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flow = saved_twice(spark, tmp_path)
    expected = joined({name: Followed.of(name, lines) for name, lines in HELD.items()}.__getitem__)
    assert traced(flow, "joined") == right(expected)
    assert traced(flow, "counted") == right(counted(expected))

    every = Cursor.at_table(flow, "counted")
    ends = {number: rows_of(row(flow, number).go_back_all())
            for number in (each["id"] for each in ids_of(flow, "counted"))}  # fmt: skip
    source = min(path for found in ends.values() for path in found)
    (start,) = (f.first_id + source[1] for f in flow.numbers.files if str(f.path) == source[0])
    led = {number for number, found in ends.items() if source in found}
    assert rows_of(row(flow, start).go_next_all()) == set().union(
        *(rows_of(row(flow, number)) for number in led)
    )
    for limit in ("FEW", "HELD"):
        monkeypatch.setattr(f"provhouse.capturing.walks.cursor_ids.{limit}", 0)
        assert rows_of(every.go_back_all()) == set().union(*ends.values())
        assert rows_of(row(flow, start).go_next_all()) == set().union(
            *(rows_of(row(flow, number)) for number in led)
        )


def ids_of(flow: CapturedFlow, table: str) -> Any:
    (files,) = flow.files_of(table).values()
    return flow.rows_of(files).frame.collect()


TEXTS = {
    "unix": b"a\nb\n\nlong line of text\nz\n",
    "no end": b"a\nb\n\n\nlast",
    "windows": b"a\r\nbb\r\n\r\nccc\r\nlast\r\n",
    "old": b"a\rbb\r\rccc\rlast\n\nx",
    "mark": b"\xef\xbb\xbfa\n\xef\xbb\xbfb\nc\n",
}


@pytest.mark.long
def test_lines_are_those_that_spark_has_numbered(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with lineage_context(spark, tmp_path / "taps") as context:
        for name, text in TEXTS.items():
            (tmp_path / f"{name}.log").write_bytes(text)
            context.textFile(str(tmp_path / f"{name}.log"), 5).saveAsTextFile(str(tmp_path / name))
    flow = CapturedFlow(spark, outputs_of(captured_writes(tmp_path / "taps")))
    for name, text in TEXTS.items():
        lines = text.removeprefix(b"\xef\xbb\xbf").decode().splitlines()
        (file,) = (file for file in flow.numbers.files if file.table == f"{name}.log")
        assert len(file.parts) > 1
        assert file.rows == len(lines)
        few = CursorIds(np.arange(file.first_id, file.first_id + len(lines)))
        for size in (3, text_lines.CHUNK):
            monkeypatch.setattr(text_lines, "CHUNK", size)
            assert texts(records(spark, [file], few)) == lines
        assert texts(records(spark, [file], None)) == lines
        with monkeypatch.context() as patch:
            patch.setattr(text_lines, "_CODECS", (".log",))
            assert texts(records(spark, [file], few)) == lines


def texts(found: Any) -> list[str]:
    return [value for value, _ in sorted(found.collect(), key=lambda each: int(each[1]))]


@pytest.mark.long
def test_a_block_that_saves_rdds_is_traced_inside_and_after(
    houses: Callable[..., House], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "log.txt"
    log.write_text("ERROR 17 disk\nINFO\nERROR 23 NETWORK\nERROR 17 disk\n")
    with houses().capture() as run:
        errors = run.context.textFile(str(log), 2).filter(lambda line: line.startswith("ERROR"))
        codes = errors.map(lambda line: (line.split()[1], 1)).reduceByKey(lambda a, b: a + b)
        codes.map(lambda code: f"{code[0]} {code[1]}").saveAsTextFile(str(tmp_path / "codes"))
        errors.saveAsPickleFile(str(tmp_path / "pickles"))
        inside = run.trace("codes").where("value LIKE '17 %'").go_back_all()
        assert rows_of(inside) == {(str(log), 0), (str(log), 3)}
    most = run.trace("codes").where("value LIKE '17 %'")
    capsys.readouterr()
    most.go_back_all().show()
    assert capsys.readouterr().out.count("|ERROR 17 disk") == 2
    network = run.trace("log").where("value LIKE '%NETWORK%'").go_next_all()
    assert [each.value for each in network.of("codes").records().collect()] == ["23 1"]
    assert network.of("pickles").count() == run.trace("pickles").count() - 2 == 1
    with pytest.raises(UsageError, match="The records of pickles have no columns"):
        network.of("pickles").show()
    with pytest.raises(UsageError, match="The program of codes cannot be computed again"):
        run.smallest(most, test="true")
