// Writes the generation that becomes current. All other generations stop being current.
MERGE (g:Generation {warehouse: $warehouse, number: $number})
SET g.time = $time, g.triples = $triples, g.items = $items, g.current = true
WITH g
MATCH (other:Generation {warehouse: $warehouse})
WHERE other.number IS NOT NULL AND other <> g AND other.current
SET other.current = false
