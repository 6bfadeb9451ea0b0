UNWIND $rows AS row
MATCH (m:Module {warehouse: $warehouse, name: row.module})
MERGE (i:Invocation {warehouse: $warehouse, number: row.number})
SET i.module = row.module, i.name = row.name, i.run = row.run, i.execution = row.execution,
    i.invocation = row.invocation, i.triples = row.triples
MERGE (i)-[:PART_OF]->(m)
