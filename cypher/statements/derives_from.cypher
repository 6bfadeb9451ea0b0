UNWIND range(0, size($table) - 1) AS row
MERGE (t:Table {warehouse: $warehouse, name: $table[row]})
MERGE (source:Table {warehouse: $warehouse, name: $derives_from[row]})
MERGE (t)-[d:DERIVES_FROM]->(source)
SET d.triples = $triples[row], d.ops = $ops_texts[$ops[row]]
