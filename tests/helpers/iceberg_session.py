"""A session of a Spark for which Iceberg has a jar. It runs statements, each in a captured block.

Arguments: a folder, and the jar of Iceberg. The program makes the catalog ``ice`` in the folder.
Each line of standard input is a request as JSON: a statement ``sql``, and, if it is captured, the
``keys`` and the folder ``landing``. Each answer is a line that begins with ``MARK``, with the rows
as JSON, or with the reason why the statement was ``refused`` or ``failed``.
"""

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MARK = "answer "
CATALOG = "spark.sql.catalog.ice"


@dataclass(frozen=True)
class IcebergSession:
    """A running session, in another process."""

    process: "subprocess.Popen[str]"

    def ask(self, sql: str, **options: object) -> dict[str, Any]:
        """Run a statement and return the answer."""
        assert self.process.stdin
        assert self.process.stdout
        print(json.dumps({"sql": sql, **options}), file=self.process.stdin, flush=True)
        for line in self.process.stdout:
            if line.startswith(MARK):
                found: dict[str, Any] = json.loads(line.removeprefix(MARK))
                return found
        raise EOFError(sql)

    def sql(self, text: str) -> list[list[Any]]:
        """Run a statement outside of a block and return its rows."""
        found = self.ask(text)
        assert "rows" in found, found
        rows: list[list[Any]] = found["rows"]
        return rows


def answered(spark: "SparkSession", request: Mapping[str, Any]) -> dict[str, object]:
    """Run the statement of a request, and return the answer."""
    import provhouse

    try:
        if "landing" in request:
            with provhouse.capture(spark, landing=request["landing"], keys=request["keys"]):
                return {"rows": [list(row) for row in spark.sql(request["sql"]).collect()]}
        return {"rows": [list(row) for row in spark.sql(request["sql"]).collect()]}
    except provhouse.ProvhouseError as error:
        return {"refused": f"{error} {error.found}"}
    except Exception as error:
        return {"failed": str(error)}


def main(folder: Path, jar: str) -> None:
    """Answer all requests."""
    from pyspark.sql import SparkSession

    settings: dict[str, bool | float | int | str | None] = {
        "spark.jars": jar,
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
        CATALOG: "org.apache.iceberg.spark.SparkCatalog",
        f"{CATALOG}.type": "hadoop",
        f"{CATALOG}.warehouse": str(folder / "ice house"),
    }
    spark = SparkSession.builder.master("local[2]").config(map=settings).getOrCreate()
    for line in sys.stdin:
        print(MARK + json.dumps(answered(spark, json.loads(line)), default=str), flush=True)
    spark.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
