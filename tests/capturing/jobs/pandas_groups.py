"""Standardise the readings of each device with pandas."""

import sys

import pandas as pd
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("pandas_groups").getOrCreate()
source, target = sys.argv[1:]


@F.pandas_udf("double")  # type: ignore[attr-defined, untyped-decorator]
def fahrenheit(celsius: pd.Series) -> pd.Series:
    """Convert degrees."""
    return celsius * 1.8 + 32


def standardised(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the distance of each reading from the mean of its device."""
    frame["distance"] = frame["value"] - frame["value"].mean()
    return frame[["device", "at", "value", "distance"]]


readings = spark.read.parquet(f"{source}/readings.parquet").where("value IS NOT NULL")
form = "device STRING, at TIMESTAMP, value DOUBLE, distance DOUBLE"
result = readings.groupBy("device").applyInPandas(standardised, form)
result.withColumn("f", fahrenheit("value")).write.mode("overwrite").parquet(
    f"{target}/standardised"
)
