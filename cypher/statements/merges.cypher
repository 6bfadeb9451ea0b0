// Each row names a component whose items have all moved to another component. Most have no node.
UNWIND range(0, size($rows.component) - 1) AS row
MATCH (c:Component {warehouse: $warehouse, id: $rows.component[row]})
MERGE (merged:Component {warehouse: $warehouse, id: $rows.into[row]})
MERGE (c)-[:MERGED_INTO]->(merged)
