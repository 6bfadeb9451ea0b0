// Most sets that are whole components have no node. A node that exists stays as it is.
UNWIND range(0, size($id) - 1) AS row
WITH row WHERE NOT EXISTS {MATCH (:Set {warehouse: $warehouse, id: $id[row]})}
MERGE (s:Set {warehouse: $warehouse, id: $id[row]})
SET s.items = $items[row], s.triples = $triples[row], s.tables = $tables_texts[$tables[row]]
MERGE (c:Component {warehouse: $warehouse, id: $component[row]})
ON CREATE SET c.items = $items[row], c.triples = $triples[row], c.sets = 1
MERGE (s)-[:PART_OF]->(c)
