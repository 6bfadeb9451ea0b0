// The sets that the most other sets derive from
// Shows nothing if no connected set derives from another one.
MATCH (s:Set {warehouse: $warehouse})<-[:DEPENDS_ON]-(other)
WITH s, count(other) AS used_by
ORDER BY used_by DESC
LIMIT 20
RETURN s.id AS set, s.tables AS tables, s.items AS items, used_by
