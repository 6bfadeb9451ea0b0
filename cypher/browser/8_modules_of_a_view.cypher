// The items that provhouse browser ITEM wrote, their sets, and the modules that made these
// Shows nothing if no items are written. Write some with `provhouse browser ITEM`.
// In a warehouse of more than 1,000,000 triples, sets have no modules.
MATCH (i:Item {warehouse: $warehouse})-[within]->(s:Set)
OPTIONAL MATCH (s)-[made]->(m:Module)
RETURN i, within, s, made, m
LIMIT 300
