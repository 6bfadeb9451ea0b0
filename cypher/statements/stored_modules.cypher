MATCH (m:Module {warehouse: $warehouse})
WHERE m.name IS NOT NULL
RETURN [m.name, m.triples, m.invocations]
