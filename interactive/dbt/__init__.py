"""Record lineage of dbt projects on DuckDB: what a run of dbt made each row from."""
