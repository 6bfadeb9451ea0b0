MATCH (i:Item {warehouse: $warehouse, view: $view})
DETACH DELETE i
