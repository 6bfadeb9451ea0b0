MATCH (t:Table {warehouse: $warehouse})
DETACH DELETE t
