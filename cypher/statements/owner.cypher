MATCH (l:Load)
WHERE l.warehouse IS NOT NULL AND l.commit IN $commits
RETURN l.warehouse AS warehouse
LIMIT 1
