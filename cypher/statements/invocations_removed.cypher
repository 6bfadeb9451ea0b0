MATCH (i:Invocation {warehouse: $warehouse})
WHERE i.number IS NOT NULL
DETACH DELETE i
