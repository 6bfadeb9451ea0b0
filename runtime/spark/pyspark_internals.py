"""All uses of undocumented parts of PySpark, written for PySpark 4.2.

Each docstring names a similar public method of PySpark, if there is one. If a new release of
PySpark breaks a function in this module, read in PySpark's source how the similar method works now,
and adapt the function. No other module of provhouse uses private attributes of PySpark.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import IO, TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark import RDD, SparkConf, SparkContext
    from pyspark.sql import DataFrame, SparkSession

    ArrowTask = Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]


def start_context(conf: "SparkConf", log: IO[bytes]) -> "SparkContext":
    """Start a JVM that prints to ``log``, and connect to it.

    ``SparkContext(conf=conf)`` also does this, but its JVM prints to the terminal.
    """
    from pyspark import SparkContext
    from pyspark.java_gateway import launch_gateway

    launch: Any = launch_gateway  # untyped
    context = SparkContext(conf=conf, gateway=launch(conf, {"stdout": log, "stderr": log}))
    # By default, the accumulator server prints a traceback when the JVM is gone.
    accumulators: Any = context._accumulatorServer
    accumulators.handle_error = _ignore
    return context


def _ignore(*_: object) -> None:
    pass


def leave_jvm() -> None:
    """Make PySpark forget its JVM, so that the next session starts another JVM.

    Otherwise PySpark would use the first JVM of this process permanently, also for each new
    ``SparkConf``. If another program's session started that JVM, it lacks provhouse's jars. PySpark
    has no public method for this.
    """
    from pyspark import SparkContext

    contexts: Any = SparkContext
    contexts._gateway = contexts._jvm = None


def forget_jvm(session: "SparkSession") -> None:
    """Stop a session whose JVM is gone, so that Spark can be started again in this process.

    ``SparkSession.stop`` would call the JVM. It would also leave the JVM in class attributes, in
    which PySpark permanently keeps the first JVM of a process.
    """
    from pyspark.sql import SparkSession

    context: Any = session.sparkContext
    context._jsc = None  # otherwise stop() calls the JVM
    context.stop()
    leave_jvm()
    sessions: Any = SparkSession
    sessions._instantiatedSession = sessions._activeSession = None


def running_session() -> "SparkSession | None":
    """Return the session of this process, whichever code created it; None if Spark is not running.

    ``SparkSession.getActiveSession`` also does this, but only in the thread that created the
    session.
    """
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    contexts: Any = SparkContext
    sessions: Any = SparkSession
    context = contexts._active_spark_context
    if context is None or has_stopped(context):
        return None
    session: SparkSession | None = sessions._instantiatedSession
    if session is None or session.sparkContext is not context:
        session = SparkSession(context)  # the program made a context only
    return session


def has_stopped(context: "SparkContext") -> bool:
    """Return whether ``SparkContext.stop`` was called; PySpark has no public method for this."""
    private: Any = context
    return private._jsc is None


def restore_properties(context: "SparkContext", properties: Mapping[str, str | None]) -> None:
    """Set local properties of this thread; the value None removes a property.

    ``SparkContext.setLocalProperty`` does this, but its type does not allow None.
    """
    for name, value in properties.items():
        context.setLocalProperty(name, cast(str, value))


def map_in_arrow(rows: "DataFrame", function: "ArrowTask", schema: str) -> "DataFrame":
    """Apply a function to the batches of each partition, and return the rows of its results.

    ``DataFrame.mapInArrow`` does this too, but requires pandas to be installed, although neither
    the method nor the workers use pandas.
    """
    from pyspark.sql import DataFrame
    from pyspark.sql.pandas import functions
    from pyspark.util import PythonEvalType

    private: Any = functions
    udf = private.vectorized_udf(function, schema, PythonEvalType.SQL_MAP_ARROW_ITER_UDF)
    column = udf(*[rows[name] for name in rows.columns])
    source: Any = rows
    mapped = source._jdf.mapInArrow(column._jc, False, None)
    return DataFrame(mapped, rows.sparkSession)


def java_session(session: "SparkSession") -> tuple[Any, Any]:
    """Return py4j's view of a session's JVM, for calls of Java classes, and the session in the JVM.

    PySpark has no public method for this. Raises AttributeError for a session of Spark Connect,
    which has no JVM.
    """
    private: Any = session
    return private._jvm, private._jsparkSession


def analysed_plan(rows: "DataFrame") -> Any:
    """Return the plan of a frame in the JVM, as Spark's analyser has resolved it.

    PySpark has no public method for this; ``DataFrame.explain`` only prints the plan.
    """
    private: Any = rows
    return private._jdf.queryExecution().analyzed()


def worker_python(context: "SparkContext") -> str:
    """Return the command that starts Python workers. PySpark has no public method for this."""
    private: Any = context
    return str(private.pythonExec)


_CONVERTERS: list[Callable[[Any], Exception | None]] = []
"""Functions that convert the JVM's exceptions to Python errors; they run before PySpark's own."""


def convert_java_errors(convert: Callable[[Any], Exception | None]) -> None:
    """Make PySpark convert the JVM's exceptions to Python errors with the function ``convert``.

    If ``convert`` returns None, PySpark converts the exception itself. PySpark converts exceptions
    in a single function, and has no public method to add other errors. Further calls with the same
    function have no effect.
    """
    from pyspark.errors.exceptions import captured

    private: Any = captured
    if not _CONVERTERS:
        own = private.convert_exception

        def converted(error: Any) -> Exception:
            found = (each(error) for each in _CONVERTERS)
            made: Exception = next(filter(None, found), None) or own(error)
            return made

        private.convert_exception = converted
    if convert not in _CONVERTERS:
        _CONVERTERS.append(convert)


def java_rdd(rdd: "RDD[Any]") -> tuple[Any, Any]:
    """Return the JVM of an RDD, and the RDD in it. PySpark has no public method for this."""
    private: Any = rdd
    return private.ctx._jvm, private._jrdd


def worker_memory(context: "SparkContext") -> int:
    """Return the megabytes that a Python worker may use before it writes groups to files.

    ``RDD.combineByKey`` obeys this limit, but no public method returns it.
    """
    from pyspark import util

    private: Any = util
    setting = context.getConf().get("spark.python.worker.memory", "512m")
    return int(private._parse_memory(setting))


def save_lines(rdds: "Sequence[RDD[bytes]]", path: str, codec: str | None) -> None:
    """Write all records of the given RDDs as lines of text files.

    ``RDD.saveAsTextFile`` also does this, but first runs a function of its own. That function could
    not find out from which of the RDDs the lines of its task come.
    """
    private: Any = rdds
    for rdd in private:
        rdd._bypass_serializer = True
        _ = rdd._jrdd  # reading it sets the serializer, which a union compares
    united: Any = rdds[0] if len(rdds) == 1 else private[0].ctx.union([*rdds])
    jvm = united.ctx._jvm
    lines = united._jrdd.map(jvm.BytesToString())
    if codec is None:
        lines.saveAsTextFile(path)
    else:
        lines.saveAsTextFile(path, getattr(jvm, "java.lang.Class").forName(codec))
