"""A session of another version of Spark. It runs statements, each in a captured block.

Argument: the settings of the session, as JSON. Each line of standard input is a request as JSON: a
statement ``sql``, and, if it is captured, the ``keys`` and the folder ``landing``. Each answer is a
line that begins with ``MARK``, with the rows as JSON, or with the reason why the statement was
``refused`` or ``failed``.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from provhouse.capturing.spark_versions import SparkVersion

MARK = "answer "
COMMON = {"spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "2"}


@dataclass(frozen=True)
class OtherSession:
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


@contextmanager
def started(
    version: "SparkVersion", folder: Path, settings: Mapping[str, str]
) -> Iterator[OtherSession]:
    """Run a session of a version of Spark, whose working directory is ``folder``."""
    from jars_all import package

    with subprocess.Popen(
        [sys.executable, __file__, json.dumps({**COMMON, **settings})],
        env={**os.environ, "PYTHONPATH": str(package(version).parent)},
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield OtherSession(process)
        assert process.stdin
        process.stdin.close()  # ends the program


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


def main(settings: dict[str, bool | float | int | str | None]) -> None:
    """Answer all requests."""
    from pyspark.sql import SparkSession

    spark = SparkSession.builder.master("local[2]").config(map=settings).getOrCreate()
    for line in sys.stdin:
        print(MARK + json.dumps(answered(spark, json.loads(line)), default=str), flush=True)
    spark.stop()


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
