"""Tables that captured statements change on another version of Spark, and a model of their rows."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from helpers.changing import Changing, Key
from helpers.other_session import OtherSession


@dataclass
class ChangingElsewhere(Changing):
    """A Delta table ``balance`` that is changed in another process."""

    session: OtherSession = field(kw_only=True)
    partitions: str = ""
    blocks: int = 0

    format = "delta"
    prefix = "delta."

    def named(self, name: str) -> str:
        """Return the name in SQL of a table beside the changed one."""
        return f"delta.`{self.folder / name}`"

    @property
    def table(self) -> str:
        return self.named("balance")

    def source(self, name: str, /, **columns: Sequence[object]) -> Any:
        """Write a source with the key ``k`` as Parquet, and create a view of it."""
        path = self.folder / f"{name}.parquet"
        types = dict.fromkeys("nkv", pa.int64())
        pq.write_table(pa.table({n: pa.array(c, types.get(n)) for n, c in columns.items()}), path)
        options = f"USING parquet OPTIONS (path '{path}')"
        self.session.sql(f"CREATE OR REPLACE TEMPORARY VIEW {name} {options}")
        self.last = name
        return name

    def run(self, change: str | Callable[[], object]) -> int:
        """Run a statement in a separate block; return the written version, or 0."""
        assert isinstance(change, str)
        reads = self.last and self.last in change
        return self.block(change, {"balance": self.key} | ({self.last: self.key} if reads else {}))

    def block(self, text: str, keys: Mapping[str, str]) -> int:
        """Run a statement in a block; return the written version, or 0."""
        self.blocks += 1
        landing = self.folder / f"landing{self.blocks}"
        found = self.session.ask(text.format(self.table), keys=keys, landing=str(landing))
        assert "rows" in found, (text, found)
        with self.house.open() as warehouse:
            landed = warehouse.ingest_captured(landing)
        assert not landed.fault, landed.fault
        assert not landed.incomplete
        return landed.writes[-1].version if landed.writes else 0

    def load(self, rows: Any, where: Mapping[Key, str], layout: Iterable[str] = ()) -> None:
        """Write the first rows in two files, from a source. ``where`` gives the source of each."""
        given = ", ".join(f"'{self.prefix}{n}' = '{value}'" for n, value in self.properties.items())
        self.session.sql(
            f"CREATE TABLE {self.table} (k bigint, v bigint) USING {self.format} {self.partitions}"
            + (f" TBLPROPERTIES ({given})" if given else "")
        )
        version = self.run(f"INSERT INTO {{}} SELECT /*+ REPARTITION(2) */ * FROM {rows}")
        self.note(version, {key: [source] for key, source in where.items()}, new=True)

    def rows(self) -> dict[Key, Any]:
        """Return the rows that the table has."""
        return dict(self.session.sql(f"SELECT k, v FROM {self.table}"))

    def check_report(self, table: str = "balance") -> None:
        """Compare the complete lineage of each row of a report, a captured copy of the table."""
        made = f"CREATE OR REPLACE TABLE {self.named('report')} USING {self.format}"
        self.block(f"{made} AS SELECT * FROM {{}}", {"balance": self.key, "report": self.key})
        with self.house.open() as warehouse:
            for key, name in self.names.items():
                items = {each.item for each in warehouse.lineage(f"report/{key}").items}
                assert items == {name, *self.past(name)}, name


@dataclass
class IcebergChanging(ChangingElsewhere):
    """An Iceberg table ``balance`` in a namespace of its own."""

    namespace: str = field(kw_only=True)

    format = "iceberg"
    prefix = ""

    def named(self, name: str) -> str:
        return f"ice.{self.namespace}.{name}"
