"""The settings of Spark that capture an application without changes to its program."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from .jar import REGISTRATION, jar, own_version
from .spark_versions import named


def configuration(
    warehouse: Path,
    keys: Mapping[str, Sequence[str]],
    run: str = "",
    plain: bool = False,
    *,
    budget_mb: float | None = None,
    budget_seconds: float | None = None,
    sample: float = 1.0,
    values: bool = False,
) -> dict[str, str]:
    """Return the settings ``spark.provhouse.*`` of an application.

    ``keys`` has the key columns of each table, by the table's name. If ``plain`` is true, writes
    that are not covered run without capture. A write that exceeds a budget goes on without capture;
    a budget of None means no limit. ``sample`` is the fraction of the rows of each write whose
    lineage is kept. If ``values`` is true, the lineage includes the values that rows contribute to
    aggregates.
    """
    found = {"spark.provhouse.warehouse": str(warehouse.resolve())}
    found |= {f"spark.provhouse.keys.{table}": ",".join(key) for table, key in keys.items()}
    if run:
        found["spark.provhouse.run"] = run
    if plain:
        found["spark.provhouse.onUnsupported"] = "plain"
    if budget_mb is not None:
        found["spark.provhouse.budgetMb"] = str(budget_mb)
    if budget_seconds is not None:
        found["spark.provhouse.budgetSeconds"] = str(budget_seconds)
    if sample < 1:
        found["spark.provhouse.sample"] = str(sample)
    if values:
        found["spark.provhouse.values"] = "true"
    return found


def submit_options(settings: Mapping[str, str], spark: str | None = None) -> list[str]:
    """Return the options of ``spark-submit`` and SQL shells for the given settings and the jar.

    ``spark`` names the version of the job's Spark, such as ``4.0`` or ``3.5_2.13``; the default is
    the version of this Python's PySpark. Spark finds our extension in the jar, so
    ``spark.sql.extensions`` can name other extensions. PySpark 3.5 does not look for extensions in
    jars. So with 3.5, a listener adds our extension to that setting, even if the program sets the
    setting.
    """
    version = named(spark) if spark else own_version()
    options = ["--jars", str(jar(version))]
    by_name = {"spark.extraListeners": REGISTRATION} if version.spark == "3.5" else {}
    for name, value in {**settings, **by_name}.items():
        options += ["--conf", f"{name}={value}"]
    return options
