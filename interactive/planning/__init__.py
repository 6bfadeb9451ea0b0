"""Plan a query: add the hidden columns and build the witness queries that yield its lineage."""
