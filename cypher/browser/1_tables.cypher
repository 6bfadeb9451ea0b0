// Which table derives from which
MATCH (t:Table {warehouse: $warehouse})
OPTIONAL MATCH (t)-[d:DERIVES_FROM]->(source:Table)
RETURN t, d, source
