// The tables of a set never change, so that rows of sets which already have a node may omit them.
// Earlier releases wrote the component too, which takes one more record of properties.
UNWIND range(0, size($rows.id) - 1) AS row
MERGE (s:Set {warehouse: $warehouse, id: $rows.id[row]})
SET s.items = $rows.items[row], s.triples = $rows.triples[row],
    s.tables = coalesce($rows.tables_texts[$rows.tables[row]], s.tables), s.component = null
