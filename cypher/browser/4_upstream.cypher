// Three steps upstream of the set that derives from the most sets
// Shows nothing if the warehouse has very many components of one set each, so its sets have no nodes.
// Each step follows the dependencies with the most triples: 12 of the set, then 4 and 2 of each.
MATCH (s:Set {warehouse: $warehouse})
WITH s, COUNT { (s)-[:DEPENDS_ON]->() } AS sources
ORDER BY sources DESC
LIMIT 1
OPTIONAL MATCH (s)-[first:DEPENDS_ON]->(one:Set)
WITH s, first, one
ORDER BY first.triples DESC
LIMIT 12
OPTIONAL CALL (one) {
  MATCH (one)-[second:DEPENDS_ON]->(two:Set)
  RETURN second, two
  ORDER BY second.triples DESC
  LIMIT 4
}
OPTIONAL CALL (two) {
  MATCH (two)-[third:DEPENDS_ON]->(three:Set)
  RETURN third, three
  ORDER BY third.triples DESC
  LIMIT 2
}
RETURN s, first, one, second, two, third, three
