// A set is part of one component. After a merge, its relationship to the earlier one is deleted.
UNWIND $rows AS row
MERGE (s:Set {warehouse: $warehouse, id: row.set})
MERGE (c:Component {warehouse: $warehouse, id: row.component})
MERGE (s)-[:PART_OF]->(c)
WITH s, c
MATCH (s)-[before:PART_OF]->(other)
WHERE other <> c
DELETE before
