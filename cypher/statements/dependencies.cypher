// A set points to the one it derives from. Totals are absolute, so that a second run adds nothing.
UNWIND $rows AS row
MERGE (s:Set {warehouse: $warehouse, id: row.set})
MERGE (source:Set {warehouse: $warehouse, id: row.derives_from})
MERGE (s)-[d:DEPENDS_ON]->(source)
SET d.triples = row.triples, d.ops = row.ops
