// The tables of a set never change, so that a row of a set which has its node need not have them.
UNWIND $rows AS row
MERGE (s:Set {warehouse: $warehouse, id: row.id})
SET s.component = row.component, s.items = row.items, s.triples = row.triples,
    s.tables = coalesce(row.tables, s.tables)
