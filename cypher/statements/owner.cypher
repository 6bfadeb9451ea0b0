MATCH (l:Load)
WHERE l.commit IN $commits
RETURN l.warehouse AS warehouse
LIMIT 1
