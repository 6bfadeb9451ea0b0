UNWIND $rows AS row
MERGE (t:Table {warehouse: $warehouse, name: row.name})
SET t.items = row.items
