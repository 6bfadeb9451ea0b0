"""Report the three best products of each region, in SQL."""

import sys

from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("top_products").getOrCreate()
source, target = sys.argv[1:]

spark.read.parquet(f"{source}/sales").createOrReplaceTempView("sales")
spark.read.option("header", True).csv(f"{source}/products.csv").createOrReplaceTempView("products")
top = spark.sql("""
    WITH totals AS (
        SELECT region, product_id, SUM(amount) AS sold FROM sales GROUP BY region, product_id
    ), ranked AS (
        SELECT *, RANK() OVER (PARTITION BY region ORDER BY sold DESC) AS place FROM totals
    )
    SELECT r.region, r.place, p.name, r.sold
    FROM ranked r LEFT JOIN products p ON p.id = r.product_id
    WHERE place <= 3
""")
top.write.mode("overwrite").format("parquet").save(f"{target}/top")
