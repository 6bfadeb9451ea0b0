// $rows has one row: the generation that becomes current. All other generations stop being current.
UNWIND $rows AS row
MERGE (g:Generation {warehouse: $warehouse, number: row.number})
SET g.time = row.time, g.triples = row.triples, g.items = row.items, g.current = true
WITH g
MATCH (other:Generation {warehouse: $warehouse})
WHERE other.number IS NOT NULL AND other <> g AND other.current
SET other.current = false
