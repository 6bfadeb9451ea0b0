"""Run ordinary jobs, unchanged, in one Spark session, and store the error of each.

Arguments: the folder of inputs, the folder for results, and the paths of the jobs. The results of a
job are in a folder with its name. ``errors.json`` has the error message of each job, or an empty
string.
"""

import json
import os
import runpy
import sys
from collections.abc import Sequence
from pathlib import Path

from pyspark.sql import SparkSession

from provhouse.runtime.jars import jar_folder


def main(source: str, target: Path, jobs: Sequence[str]) -> None:
    """Run the jobs one after the other; a failing job does not stop the others."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[2]").appName("jobs")
    builder = builder.config("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension")
    builder = builder.config(
        "spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog"
    )
    builder = builder.config("spark.jars", ",".join(map(str, jar_folder("delta").glob("*.jar"))))
    builder = builder.config("spark.ui.enabled", "false")
    builder = builder.config("spark.sql.shuffle.partitions", "2")
    builder = builder.config("spark.sql.warehouse.dir", str(target / "warehouse"))
    spark = builder.getOrCreate()
    errors = {}
    for job in jobs:
        name = Path(job).stem
        sys.argv = [job, source, str(target / name)]
        try:
            runpy.run_path(job, run_name="__main__")
            errors[name] = ""
        except Exception as error:
            errors[name] = str(error) or type(error).__name__
    (target / "errors.json").write_text(json.dumps(errors, indent=1), encoding="utf-8")
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), sys.argv[3:])
