UNWIND $rows AS row
MERGE (s:Set {warehouse: $warehouse, id: row.set})
MERGE (c:Component {warehouse: $warehouse, id: row.component})
MERGE (s)-[:PART_OF]->(c)
