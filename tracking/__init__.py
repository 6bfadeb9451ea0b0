"""Lineage of data frames and of plain Python, recorded while a program runs.

``provhouse.pandas``, ``provhouse.polars`` and ``provhouse.trace`` are its public names. The package
does not start Spark, Java or Neo4j, and imports pandas or polars only when a program uses it.
"""
