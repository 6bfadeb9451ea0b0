MATCH (i:Invocation {warehouse: $warehouse})
WHERE i.number IS NOT NULL
OPTIONAL MATCH (i)-[:PART_OF]->(m:Module)
RETURN [i.number, m.name, i.name, i.run, i.execution, i.invocation, i.triples]
