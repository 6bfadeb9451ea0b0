// Deletes one batch; run it until it returns 0.
MATCH (s:Set {warehouse: $warehouse})
WHERE $first <= s.id <= $last
WITH s LIMIT 2000
DETACH DELETE s
RETURN count(*)
