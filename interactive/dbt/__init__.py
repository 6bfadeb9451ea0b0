"""Record the lineage of dbt projects on DuckDB: from which rows a dbt run made each row."""
