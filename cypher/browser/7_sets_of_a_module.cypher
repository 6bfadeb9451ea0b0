// The module with the most triples, its invocations, and the sets that its triples lie in
// Shows nothing if no module is declared, described or named by a trace. Declare some with `provhouse modules set FILE`.
// In a warehouse of more than 1,000,000 triples, a module has neither triples, invocations nor sets.
MATCH (m:Module {warehouse: $warehouse})
WITH m
ORDER BY coalesce(m.triples, 0) DESC
LIMIT 1
OPTIONAL MATCH (m)<-[r]-(n)
WHERE n:Set OR n:Invocation
RETURN m, r, n
LIMIT 300
