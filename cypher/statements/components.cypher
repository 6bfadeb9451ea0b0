UNWIND range(0, size($rows.id) - 1) AS row
MERGE (c:Component {warehouse: $warehouse, id: $rows.id[row]})
SET c.items = $rows.items[row], c.triples = $rows.triples[row], c.sets = $rows.sets[row]
