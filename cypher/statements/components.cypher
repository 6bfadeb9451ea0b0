UNWIND $rows AS row
MERGE (c:Component {warehouse: $warehouse, id: row.id})
SET c.items = row.items, c.triples = row.triples, c.sets = row.sets
