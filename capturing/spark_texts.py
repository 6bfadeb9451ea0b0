"""The plans of Spark SQL queries, which Spark analyzes on the empty tables of a DDL."""

import json
import logging
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from provhouse.equivalence.from_spark import spark_plan
from provhouse.equivalence.plan_form import PlanForm
from provhouse.equivalence.verdict import Revision, Verdict, compare_plans
from provhouse.model.errors import BadInput
from provhouse.model.settings import Settings
from provhouse.runtime.spark.pyspark_internals import java_session
from provhouse.runtime.spark.session import alive, end, spark

from .jvm_rules import add_jar

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DATABASE = "default"
"""The database of a DDL's tables in plans, which is also a job's default database."""
DECLARES = frozenset(
    {"CreateTable", "CreateView", "CreateViewCommand", "CreateUserDefinedFunction", "SetCommand"}
)
MEMORY = "1g"


@dataclass(frozen=True)
class EmptyTables:
    """A Spark session with the empty tables of a DDL."""

    session: "SparkSession"
    database: str

    def plan(self, text: str) -> PlanForm:
        """Return the plan of a query; raise BadInput unless it is a single query that is valid."""
        jvm, classic = java_session(self.session)
        with _refusing("Spark refuses the query"):
            found = jvm.provhouse.capturing.plans.PlanText.of(classic, text)
        if found is None:
            raise BadInput("The text is not a query", "It is a command", "Give one SELECT")
        return spark_plan(json.loads(found.json().replace(self.database, DATABASE)), {})


@contextmanager
def empty_tables(session: "SparkSession", ddl: str) -> Iterator[EmptyTables]:
    """Yield a session with the tables, views, functions and settings of ``ddl``.

    The session is a new one of the same application. The tables are in a separate database, which
    is dropped at the end. Raises BadInput if the DDL contains statements other than CREATE and SET,
    or if Spark refuses a statement.
    """
    own, database = session.newSession(), f"provhouse_{secrets.token_hex(8)}"
    add_jar(own)
    own.sql(f"create database {database}")
    try:
        own.catalog.setCurrentDatabase(database)
        with _refusing("Cannot create the tables of the DDL"):
            for statement in _statements(own, ddl):
                _check(own, statement)
                own.sql(statement)
        yield EmptyTables(own, database)
    finally:
        session.sql(f"drop database {database} cascade")


def compare_spark(first: Revision, second: Revision, columns: Sequence[str] = ()) -> Verdict:
    """Compare the plan keys of two Spark SQL queries, or only of the columns that a reader uses.

    Starts Spark if it is not running, and then stops it at the end. Raises BadInput if Spark
    refuses a query or a DDL, KeyError if a query lacks a named column, and Unavailable without
    Java.
    """
    one, other = text_plans((first, second))
    return compare_plans(one, other, columns)


def text_plans(revisions: Sequence[Revision]) -> list[PlanForm]:
    """Return the plans of queries of Spark SQL.

    Starts Spark if it is not running, and then stops it at the end. Raises BadInput if Spark
    refuses a query or a DDL, and Unavailable without Java.
    """
    running = alive()
    with TemporaryDirectory(prefix="provhouse-plans-") as logs:
        try:
            session = spark(Settings(master="local[1]", spark_memory=MEMORY), Path(logs))
            return [_plan(session, each) for each in revisions]
        finally:
            if not running:
                end()


def _plan(session: "SparkSession", revision: Revision) -> PlanForm:
    with empty_tables(session, revision.ddl) as tables:
        return tables.plan(revision.text)


def _statements(session: "SparkSession", text: str) -> list[str]:
    """Split an SQL text into statements as Spark does, and return the statements."""
    jvm, _ = java_session(session)
    texts: Any = jvm.org.apache.spark.sql.catalyst.util.StringUtils
    found = texts.splitSemiColonWithIndex(text, False)
    listed = [str(found.apply(at)) for at in range(found.size())]
    return [each for each in listed if each.strip()]


def _check(session: "SparkSession", statement: str) -> None:
    _, classic = java_session(session)
    parsed = classic.sessionState().sqlParser().parsePlan(statement)
    if parsed.getClass().getSimpleName() not in DECLARES:
        raise BadInput(
            "The DDL does more than declare tables",
            f"Found the statement {statement.strip()[:60]}",
            "Remove it; only SET, CREATE VIEW, CREATE FUNCTION, and CREATE TABLE without AS SELECT "
            "are allowed",
        )


@contextmanager
def _refusing(problem: str) -> Iterator[None]:
    """Raise BadInput if Spark's parser or analyzer refuses a statement in the block."""
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException

    try:
        with _silent():
            yield
    except (Py4JJavaError, PySparkException) as error:
        java = getattr(error, "java_exception", None)
        message = str(java.getMessage() if java is not None else error)
        raise BadInput(problem, message.strip().splitlines()[0], "Correct the SQL text") from error


@contextmanager
def _silent() -> Iterator[None]:
    """Keep PySpark from printing stack traces of errors that are also raised as exceptions."""
    logger = logging.getLogger("SQLQueryContextLogger")
    logger.disabled = True
    try:
        yield
    finally:
        logger.disabled = False
