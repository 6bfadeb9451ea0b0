UNWIND $rows AS row
MATCH (t:Table {warehouse: $warehouse, name: row.table})
MATCH (m:Module {warehouse: $warehouse, name: row.module})
MERGE (t)-[made:MADE_BY]->(m)
SET made.triples = row.triples
