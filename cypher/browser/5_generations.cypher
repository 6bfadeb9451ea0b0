// What each ingest added
// Shows nothing if nothing was ingested.
MATCH (g:Generation {warehouse: $warehouse})
OPTIONAL MATCH (before:Generation {warehouse: $warehouse, number: g.number - 1})
RETURN g.number AS generation, g.time AS time, g.triples AS triples,
       g.triples - coalesce(before.triples, 0) AS more_triples,
       g.items - coalesce(before.items, 0) AS more_items, g.current AS current
ORDER BY generation DESC
LIMIT 50
