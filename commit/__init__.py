"""Write to a warehouse: lock, recover, append, load Neo4j and publish; also reload and erase."""
