// The largest parts of the data that have nothing to do with each other
MATCH (c:Component {warehouse: $warehouse})
WHERE NOT (c)-[:MERGED_INTO]->()
RETURN c.id AS component, c.items AS items, c.triples AS triples, c.sets AS sets
ORDER BY items DESC
LIMIT 20
