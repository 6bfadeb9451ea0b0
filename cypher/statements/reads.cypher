UNWIND $rows AS row
MATCH (m:Module {warehouse: $warehouse, name: row.module})
MATCH (t:Table {warehouse: $warehouse, name: row.table})
MERGE (m)-[reads:READS]->(t)
SET reads.triples = row.triples
