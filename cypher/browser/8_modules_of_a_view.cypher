// The items that provhouse browser ITEM wrote, their sets, and the modules that made these
MATCH (i:Item {warehouse: $warehouse})-[within]->(s:Set)
OPTIONAL MATCH (s)-[made]->(m:Module)
RETURN i, within, s, made, m
LIMIT 300
