// ISO 8601 times in UTC are in the order of their texts.
MATCH (i:Item {warehouse: $warehouse})
WHERE i.view IS NOT NULL AND i.key IS NOT NULL AND i.expires <= $time
DETACH DELETE i
RETURN count(*)
