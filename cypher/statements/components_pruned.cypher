// A part of them; to be run again while there are any.
MATCH (c:Component {warehouse: $warehouse})
WHERE $first <= c.id <= $last
WITH c LIMIT 2000
DETACH DELETE c
RETURN count(*)
