"""Failed tests of dbt, read from its files ``run_results.json`` and ``manifest.json``."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from provhouse.model.errors import BadInput, NotFound

from .blames import Program, Tables, sql_program

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

FAILED = ("fail", "error", "warn")
RENAMED = ("unique_field", "value_field", "from_field")
"""The names of the tested column in the results of dbt's own tests."""


@dataclass(frozen=True)
class FailedTest:
    """A test that found wrong rows, and the model that it tested."""

    name: str
    table: str
    """The name of the model's table in the warehouse."""
    sql: str
    names: Mapping[str, str]
    """The strings that stand for tables in the SQL text, mapped to the tables' names."""
    column: str | None
    """The tested column, if the test is about a single column."""
    model_sql: str

    @property
    def program(self) -> Program:
        """The query of the model."""
        return sql_program(self.model_sql, self.names)

    def rows(self, frame: "DataFrame", tables: Tables) -> "DataFrame":
        """Return the rows of ``frame``, a result of the model, that the test finds wrong.

        A row is wrong if the test's result contains a row with the same values in the common
        columns.
        """
        from pyspark.sql import functions as F

        found = sql_program(self.sql, self.names)(_With(self.table, frame, tables))
        if self.column:
            for name in RENAMED:
                found = found.withColumnRenamed(name, self.column)
        common = [name for name in frame.columns if name in found.columns]
        if not common:
            raise BadInput(
                f"The result of the test {self.name} has no column of {self.table}",
                f"Its columns are {', '.join(found.columns)}",
                "Select the wrong columns in the test, or use --where",
            )
        ours, wrong = frame.alias("ours"), found.select(*common).distinct().alias("wrong")
        same = [F.col(f"ours.`{name}`").eqNullSafe(F.col(f"wrong.`{name}`")) for name in common]
        return ours.join(wrong, same, "left_semi")


class _With(Mapping[str, "DataFrame"]):
    """Tables by name, where one table is replaced by another frame."""

    def __init__(self, name: str, frame: "DataFrame", others: Tables) -> None:
        self._name, self._frame, self._others = name, frame, others

    def __getitem__(self, name: str) -> "DataFrame":
        return self._frame if name == self._name else self._others[name]

    def __iter__(self) -> Any:
        return iter(dict.fromkeys([self._name, *self._others]))

    def __len__(self) -> int:
        return sum(1 for _ in self)


def failed_tests(results: Path, manifest: Path | None = None) -> list[FailedTest]:
    """Return the failed tests of a run of dbt.

    By default, the manifest is in the folder of the results. Raises BadInput for files that are not
    dbt's, and NotFound if no test of a model has failed.
    """
    ran = _read(results)
    known = _read(manifest or results.with_name("manifest.json"))
    try:
        names = _tables(known)
        failed = [each["unique_id"] for each in ran["results"] if each["status"] in FAILED]
        found = [_test(known["nodes"][each], known, names) for each in failed if _is_test(each)]
    except (KeyError, TypeError) as error:
        raise BadInput(
            f"{results} or its manifest is not a file of a supported version of dbt",
            f"{error!r} is missing",
            "Give run_results.json of dbt 1.6 or newer, with the manifest.json of the same run",
        ) from error
    tests = [each for each in found if each]
    if not tests:
        raise NotFound(
            f"No test of a model has failed in {results}",
            f"{len(ran['results']):,} results; {len(failed):,} of them failed",
            "Run `dbt test`, or use --where",
        )
    return tests


def _is_test(name: str) -> bool:
    return name.startswith("test.")


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BadInput(
            f"Cannot read {path}",
            str(error),
            "Give dbt's target/run_results.json; its manifest.json is in the same folder",
        ) from error


def _tables(manifest: Any) -> dict[str, str]:
    """Return the table for each relation name as it is written in SQL, longest name first."""
    nodes = [*manifest["nodes"].values(), *manifest.get("sources", {}).values()]
    named = {each["relation_name"]: _table(each) for each in nodes if each.get("relation_name")}
    return dict(sorted(named.items(), key=lambda each: -len(each[0])))


def _table(node: Any) -> str:
    return str(node.get("identifier") or node.get("alias") or node["name"])


def _test(node: Any, manifest: Any, names: Mapping[str, str]) -> FailedTest | None:
    """Return a failed test; None unless both the test and the model that it tests have a query."""
    attached = node.get("attached_node") or next(
        (each for each in node["depends_on"]["nodes"] if each.startswith("model.")), None
    )
    model = manifest["nodes"].get(attached) if attached else None
    if model is None or not model.get("compiled_code") or not node.get("compiled_code"):
        return None
    return FailedTest(
        name=node["name"],
        table=_table(model),
        sql=node["compiled_code"],
        names=names,
        column=node.get("column_name"),
        model_sql=model["compiled_code"],
    )
