// Workflows that modules are part of stay.
CALL () {
  MATCH (n:Revision {warehouse: $warehouse}) WHERE n.name IS NOT NULL RETURN n
  UNION ALL
  MATCH (n:Execution {warehouse: $warehouse}) WHERE n.execution IS NOT NULL RETURN n
  UNION ALL
  MATCH (n:Result {warehouse: $warehouse}) WHERE n.result IS NOT NULL RETURN n
  UNION ALL
  MATCH (n:Workflow {warehouse: $warehouse})
  WHERE n.name IS NOT NULL AND NOT EXISTS {()-[:PART_OF]->(n)}
  RETURN n
}
DETACH DELETE n
