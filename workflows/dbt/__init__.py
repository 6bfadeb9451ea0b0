"""Projects of dbt, as the files in its target folder describe them."""
