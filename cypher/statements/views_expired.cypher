// ISO 8601 times in UTC are in the order of their texts.
MATCH (i:Item {warehouse: $warehouse})
WHERE i.expires <= $time
DETACH DELETE i
RETURN count(*)
