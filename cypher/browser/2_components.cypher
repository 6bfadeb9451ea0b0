// The largest components: parts of the data that no triple connects
// Shows nothing if nothing was ingested.
MATCH (c:Component {warehouse: $warehouse})
// The only relationship from a component is MERGED_INTO. Browser would warn about a type that the
// database has never had.
WHERE NOT (c)-->(:Component)
RETURN c.id AS component, c.items AS items, c.triples AS triples, c.sets AS sets
ORDER BY items DESC
LIMIT 20
