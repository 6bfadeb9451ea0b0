"""Make the queries and tables of TPC-DS below `.long/tpcds`: `make tpcds FACTOR=0.01`.

The queries come from Spark's own tests. DuckDB's generator makes the tables, in a separate
environment. Both are downloaded once and verified by their hashes. The tables of each factor are in
a separate folder.
"""

import argparse
import shutil
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

from provhouse.model.progress import Silent
from provhouse.runtime.jars import fetch, jar_folder

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / ".long" / "tpcds"
PYTHON = FOLDER / "environment" / "bin" / "python"
GENERATE = """
import sys, duckdb, duckdb_extensions
connection = duckdb.connect()
connection.execute("SET enable_progress_bar = false")
duckdb_extensions.import_extension("tpcds", con=connection)
connection.execute("LOAD tpcds")
connection.execute(f"CALL dsdgen(sf={sys.argv[1]})")
# Spark's query 30 uses the name that this column has in its own tests.
connection.execute("ALTER TABLE customer RENAME c_last_review_date_sk TO c_last_review_date")
connection.execute(f"EXPORT DATABASE '{sys.argv[2]}' (FORMAT parquet)")
"""
"""The program that makes the tables; it runs in the generator's environment."""


def main() -> None:
    """Make missing queries and tables, and print their folders."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--factor", default="0.01", help="the size of the tables")
    given = parser.parse_args()
    print(queries())
    print(tables(given.factor))


def queries() -> Path:
    """Return the folder of the 103 queries, each a file of SQL."""
    folder = FOLDER / "queries" / "tpcds"
    if not folder.exists():
        fetch(Silent(), ("queries",))
        (jar,) = jar_folder("queries").glob("*.jar")
        with ZipFile(jar) as file:
            wanted = (name for name in file.namelist() if name.startswith("tpcds/"))
            file.extractall(FOLDER / "queries", wanted)
    return folder


def tables(factor: str) -> Path:
    """Return the folder of all tables, which are folders of Parquet files."""
    folder = FOLDER / f"tables-{factor}"
    if not folder.exists():
        _install()
        aside = FOLDER / f"making-{factor}"
        shutil.rmtree(aside, ignore_errors=True)  # left by a run that was stopped
        subprocess.run([PYTHON, "-c", GENERATE, factor, aside], check=True)
        for file in aside.glob("*.parquet"):
            (aside / file.stem).mkdir()
            file.rename(aside / file.stem / file.name)
        for script in aside.glob("*.sql"):
            script.unlink()
        aside.rename(folder)
    return folder


def _install() -> None:
    if not PYTHON.exists():
        subprocess.run([sys.executable, "-m", "venv", PYTHON.parent.parent], check=True)
    lock = ROOT / "locks/tpcds.lock"
    subprocess.run(
        [PYTHON, "-m", "pip", "--disable-pip-version-check", "install", "--quiet",
         "--require-hashes", "-r", lock],
        check=True,
    )  # fmt: skip


if __name__ == "__main__":
    main()
