UNWIND range(0, size($rows.table) - 1) AS row
MERGE (t:Table {warehouse: $warehouse, name: $rows.table[row]})
MERGE (source:Table {warehouse: $warehouse, name: $rows.derives_from[row]})
MERGE (t)-[d:DERIVES_FROM]->(source)
SET d.triples = $rows.triples[row], d.ops = $rows.ops_texts[$rows.ops[row]]
