"""Record the lineage of dbt projects on DuckDB: the rows from which a dbt run made each row."""
