MATCH (g:Generation {warehouse: $warehouse})
WHERE g.number IS NOT NULL AND g.current
RETURN g.number
