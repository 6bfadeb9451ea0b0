// Stores the digest of a module's rows and its numbers of relationships. The next commit compares
// them to find out whether the module has changed.
CALL () {
  UNWIND $rows AS row
  MATCH (m:Module {warehouse: $warehouse, name: row.name})
  WITH m, row, COUNT {(m)-[:READS]->()} AS reads, COUNT {()-[:MADE_BY]->(m)} AS made,
       COUNT {(m)-[:DERIVES_FROM]->()} AS derives, COUNT {(m)-[:PART_OF]->()} AS parts
  SET m.state = row.digest + ' ' + reads + ' ' + made + ' ' + derives + ' ' + parts
}
CALL () {
  MATCH (w:Workflow {warehouse: $warehouse})
  WHERE w.name IS NOT NULL AND NOT EXISTS {()-[:PART_OF]->(w)}
    AND NOT EXISTS {(w)-[:HAS]->()}
  DETACH DELETE w
}
