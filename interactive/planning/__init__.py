"""Plan a query: add hidden columns and build witness queries, from which its lineage follows."""
