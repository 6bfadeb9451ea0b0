UNWIND $rows AS row
MATCH (a:Revision {warehouse: $warehouse, name: row.name})
MATCH (b:Revision {warehouse: $warehouse, name: row.equals})
MERGE (a)-[:EQUALS {sink: row.sink, by: row.by}]->(b)
