UNWIND range(0, size($rows.name) - 1) AS row
MERGE (t:Table {warehouse: $warehouse, name: $rows.name[row]})
SET t.items = $rows.items[row]
