UNWIND $rows AS row
MERGE (m:Module {warehouse: $warehouse, name: row.name})
SET m.ops = row.ops, m.triples = row.triples, m.invocations = row.invocations
WITH m, row
WHERE row.workflow IS NOT NULL
MERGE (w:Workflow {warehouse: $warehouse, name: row.workflow})
MERGE (m)-[:PART_OF]->(w)
