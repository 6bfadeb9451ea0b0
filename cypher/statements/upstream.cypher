// The plan must be VarLengthExpand(Pruning,BFS,All): without DISTINCT it would follow every path.
MATCH (:Set {warehouse: $warehouse, id: $id})-[:DEPENDS_ON*0..]->(s:Set)
RETURN DISTINCT s.id AS id
