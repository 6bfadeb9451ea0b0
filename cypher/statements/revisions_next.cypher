UNWIND $rows AS row
MATCH (a:Revision {warehouse: $warehouse, name: row.before})
MATCH (b:Revision {warehouse: $warehouse, name: row.name})
MERGE (a)-[n:NEXT]->(b)
SET n.changes = row.changes
