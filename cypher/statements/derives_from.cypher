UNWIND $rows AS row
MERGE (t:Table {warehouse: $warehouse, name: row.table})
MERGE (source:Table {warehouse: $warehouse, name: row.derives_from})
MERGE (t)-[d:DERIVES_FROM]->(source)
SET d.triples = row.triples, d.ops = row.ops
