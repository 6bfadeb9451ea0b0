// A set is part of one component. After a merge, its relationship to the earlier one is deleted.
UNWIND range(0, size($rows.set) - 1) AS row
MERGE (s:Set {warehouse: $warehouse, id: $rows.set[row]})
MERGE (c:Component {warehouse: $warehouse, id: $rows.component[row]})
MERGE (s)-[:PART_OF]->(c)
WITH s, c
MATCH (s)-[before:PART_OF]->(other)
WHERE other <> c
DELETE before
