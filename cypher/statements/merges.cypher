// A component whose items are all in another one by now.
UNWIND $rows AS row
MERGE (c:Component {warehouse: $warehouse, id: row.component})
MERGE (whole:Component {warehouse: $warehouse, id: row.into})
MERGE (c)-[:MERGED_INTO]->(whole)
