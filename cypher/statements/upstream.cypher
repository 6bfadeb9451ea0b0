// The plan must be VarLengthExpand(Pruning,BFS,All): without DISTINCT it would follow every path.
// One list comes over ten times faster than a row for each id.
MATCH (:Set {warehouse: $warehouse, id: $id})-[:DEPENDS_ON*0..]->(s:Set)
RETURN collect(DISTINCT s.id) AS ids
