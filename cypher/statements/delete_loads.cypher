MATCH (l:Load {warehouse: $warehouse})
WHERE l.commit IS NOT NULL
DELETE l
