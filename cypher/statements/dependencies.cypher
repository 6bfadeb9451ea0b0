// A set points to the set it derives from. Totals are set, not added, so a rerun changes nothing.
UNWIND range(0, size($rows.set) - 1) AS row
MERGE (s:Set {warehouse: $warehouse, id: $rows.set[row]})
MERGE (source:Set {warehouse: $warehouse, id: $rows.derives_from[row]})
MERGE (s)-[d:DEPENDS_ON]->(source)
SET d.triples = $rows.triples[row], d.ops = $rows.ops_texts[$rows.ops[row]]
