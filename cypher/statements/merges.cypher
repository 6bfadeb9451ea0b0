// Each row names a component whose items have all moved to another component.
UNWIND $rows AS row
MERGE (c:Component {warehouse: $warehouse, id: row.component})
MERGE (merged:Component {warehouse: $warehouse, id: row.into})
MERGE (c)-[:MERGED_INTO]->(merged)
