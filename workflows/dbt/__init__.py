"""Projects of dbt, as described by the files in dbt's target folder."""
