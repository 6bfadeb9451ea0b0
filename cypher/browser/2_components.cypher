// The largest components: parts of the data that no triple connects
MATCH (c:Component {warehouse: $warehouse})
WHERE NOT (c)-[:MERGED_INTO]->()
RETURN c.id AS component, c.items AS items, c.triples AS triples, c.sets AS sets
ORDER BY items DESC
LIMIT 20
