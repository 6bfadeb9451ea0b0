// A part of them; to be run again while there are any.
MATCH (s:Set {warehouse: $warehouse})
WHERE $first <= s.id <= $last
WITH s LIMIT 2000
DETACH DELETE s
RETURN count(*)
