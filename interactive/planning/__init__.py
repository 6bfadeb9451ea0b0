"""Plan a query: the hidden columns and witness queries from which its lineage follows."""
