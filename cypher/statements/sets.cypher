UNWIND $rows AS row
MERGE (s:Set {warehouse: $warehouse, id: row.id})
SET s.component = row.component, s.items = row.items, s.triples = row.triples, s.tables = row.tables
