// An index finds the tables of one warehouse only if it has a condition on the whole key.
MATCH (t:Table {warehouse: $warehouse})
WHERE t.name IS NOT NULL
DETACH DELETE t
