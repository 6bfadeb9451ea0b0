UNWIND $rows AS row
MATCH (i:Item {warehouse: $warehouse, view: $view, key: row.dst})
MATCH (source:Item {warehouse: $warehouse, view: $view, key: row.src})
CREATE (i)-[:DERIVES {op: row.op, triples: row.triples}]->(source)
