// The tables of a set never change, so that rows of sets which already have a node may omit them.
UNWIND $rows AS row
MERGE (s:Set {warehouse: $warehouse, id: row.id})
SET s.component = row.component, s.items = row.items, s.triples = row.triples,
    s.tables = coalesce(row.tables, s.tables)
