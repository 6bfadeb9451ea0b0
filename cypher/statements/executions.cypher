UNWIND $rows AS row
MATCH (v:Revision {warehouse: $warehouse, name: row.revision})
MERGE (e:Execution {warehouse: $warehouse, execution: row.execution})
SET e.ended = row.ended, e.inputs = row.inputs
MERGE (e)-[:OF]->(v)
MERGE (r:Result {warehouse: $warehouse, result: row.result})
SET r.records = row.records, r.state = row.state
MERGE (e)-[:GAVE {sink: row.sink}]->(r)
