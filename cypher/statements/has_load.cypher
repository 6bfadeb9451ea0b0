MATCH (l:Load {warehouse: $warehouse, commit: $commit})
RETURN count(l) > 0 AS found
