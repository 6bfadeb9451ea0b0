UNWIND range(0, size($id) - 1) AS row
MERGE (c:Component {warehouse: $warehouse, id: $id[row]})
SET c.items = $items[row], c.triples = $triples[row], c.sets = $sets[row]
