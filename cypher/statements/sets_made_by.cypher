// A set without a node is left out.
UNWIND $rows AS row
MATCH (s:Set {warehouse: $warehouse, id: row.set})
MATCH (m:Module {warehouse: $warehouse, name: row.module})
MERGE (s)-[made:MADE_BY]->(m)
SET made.triples = row.triples
