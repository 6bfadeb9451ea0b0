"""Keep the history of customers in a Delta table by MERGE."""

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("scd2_merge").getOrCreate()
source, target = sys.argv[1:]

dimension = spark.read.parquet(f"{source}/dimension").withColumn(
    "valid_to", F.lit(None).cast("date")
)
dimension.write.format("delta").mode("overwrite").save(f"{target}/dimension")
changes = spark.read.csv(f"{source}/customers_2.csv", header=True)
changes.createOrReplaceTempView("changes")
spark.sql(f"""
    MERGE INTO delta.`{target}/dimension` d
    USING (
        SELECT CAST(id AS BIGINT) AS merge_id, * FROM changes
        UNION ALL
        SELECT NULL, c.* FROM changes c JOIN delta.`{target}/dimension` o
        ON CAST(c.id AS BIGINT) = o.id AND o.valid_to IS NULL AND c.city <> o.city
    ) c
    ON d.id = c.merge_id
    WHEN MATCHED AND d.valid_to IS NULL AND d.city <> c.city
        THEN UPDATE SET valid_to = CAST(c.updated AS DATE)
    WHEN NOT MATCHED THEN INSERT (id, name, city, valid_from, valid_to)
        VALUES (CAST(c.id AS BIGINT), c.name, c.city, CAST(c.updated AS DATE), NULL)
""")
