// A set points to the set it derives from. Totals are set, not added, so that a second run changes nothing.
UNWIND $rows AS row
MERGE (s:Set {warehouse: $warehouse, id: row.set})
MERGE (source:Set {warehouse: $warehouse, id: row.derives_from})
MERGE (s)-[d:DEPENDS_ON]->(source)
SET d.triples = row.triples, d.ops = row.ops
