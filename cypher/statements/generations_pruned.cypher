MATCH (g:Generation {warehouse: $warehouse})
WHERE $first <= g.number <= $last
DETACH DELETE g
RETURN count(*)
