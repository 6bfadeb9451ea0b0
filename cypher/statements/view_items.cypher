// A set of an earlier generation may have no node, and is then left out.
UNWIND $rows AS row
CREATE (i:Item {warehouse: $warehouse, view: $view, key: row.key, name: row.name,
                caption: row.caption, table: row.table, op: row.op, items: row.items,
                depth: row.depth, exactness: row.exactness, expires: $expires})
FOREACH (_ IN CASE WHEN row.key = 0 THEN [1] ELSE [] END | SET i:Asked)
WITH i, row
UNWIND row.sets AS id
MATCH (s:Set {warehouse: $warehouse, id: id})
CREATE (i)-[:IN_SET]->(s)
