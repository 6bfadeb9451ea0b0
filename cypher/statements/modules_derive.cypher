// A module derives from another one if it reads a table that the other one makes.
UNWIND $rows AS row
MATCH (m:Module {warehouse: $warehouse, name: row.module})
MATCH (source:Module {warehouse: $warehouse, name: row.derives_from})
MERGE (m)-[d:DERIVES_FROM]->(source)
SET d.triples = row.triples, d.tables = row.tables
