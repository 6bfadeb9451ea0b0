// An index finds the nodes of one warehouse only if it has a condition on the whole key.
CALL () {
  MATCH (n:Module {warehouse: $warehouse}) WHERE n.name IS NOT NULL RETURN n
  UNION ALL
  MATCH (n:Workflow {warehouse: $warehouse}) WHERE n.name IS NOT NULL RETURN n
  UNION ALL
  MATCH (n:Invocation {warehouse: $warehouse}) WHERE n.number IS NOT NULL RETURN n
}
DETACH DELETE n
