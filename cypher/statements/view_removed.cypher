MATCH (i:Item {warehouse: $warehouse, view: $view})
WHERE i.key IS NOT NULL
DETACH DELETE i
