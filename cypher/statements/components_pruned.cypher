// Deletes one batch; run it until it returns 0.
MATCH (c:Component {warehouse: $warehouse})
WHERE $first <= c.id <= $last
WITH c LIMIT 2000
DETACH DELETE c
RETURN count(*)
