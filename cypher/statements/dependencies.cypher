// A set points to the set it derives from. Totals are set, not added, so a rerun changes nothing.
UNWIND range(0, size($set) - 1) AS row
MERGE (s:Set {warehouse: $warehouse, id: $set[row]})
MERGE (source:Set {warehouse: $warehouse, id: $derives_from[row]})
MERGE (s)-[d:DEPENDS_ON]->(source)
SET d.triples = $triples[row], d.ops = $ops_texts[$ops[row]]
