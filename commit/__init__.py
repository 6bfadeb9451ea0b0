"""The protocol of every writer: lock, recover, append, load Neo4j, publish; reload and erase."""
