// There is one row: the generation that becomes current. All other generations stop being current.
UNWIND range(0, size($number) - 1) AS row
MERGE (g:Generation {warehouse: $warehouse, number: $number[row]})
SET g.time = $time[row], g.triples = $triples[row], g.items = $items[row], g.current = true
WITH g
MATCH (other:Generation {warehouse: $warehouse})
WHERE other.number IS NOT NULL AND other <> g AND other.current
SET other.current = false
