UNWIND range(0, size($name) - 1) AS row
MERGE (t:Table {warehouse: $warehouse, name: $name[row]})
SET t.items = $items[row]
