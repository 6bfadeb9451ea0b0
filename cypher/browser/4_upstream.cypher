// Up to three steps upstream of the set that derives from the most sets
MATCH (s:Set {warehouse: $warehouse})
WITH s, COUNT { (s)-[:DEPENDS_ON]->() } AS sources
ORDER BY sources DESC
LIMIT 1
MATCH path = (s)-[:DEPENDS_ON*0..3]->(:Set)
RETURN path
LIMIT 200
