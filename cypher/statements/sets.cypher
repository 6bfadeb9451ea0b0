// The tables of a set never change, so that rows of sets which already have a node may omit them.
UNWIND range(0, size($id) - 1) AS row
MERGE (s:Set {warehouse: $warehouse, id: $id[row]})
SET s.component = $component[row], s.items = $items[row], s.triples = $triples[row],
    s.tables = coalesce($tables_texts[$tables[row]], s.tables)
