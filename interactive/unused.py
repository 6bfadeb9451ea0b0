"""WITH queries that nothing reads: DuckDB does not run them, so they are no part of the lineage."""

from sqlglot import exp

from .parse import cte_of
