UNWIND $rows AS row
MERGE (w:Workflow {warehouse: $warehouse, name: row.workflow})
MERGE (r:Revision {warehouse: $warehouse, name: row.name})
SET r.number = row.number, r.time = row.time, r.sinks = row.sinks
MERGE (w)-[:HAS]->(r)
