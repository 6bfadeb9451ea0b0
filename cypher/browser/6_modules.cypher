// Modules, the tables that they read and make, and their workflows
// Shows nothing if no module is declared, described or named by a trace. Declare some with `provhouse modules set FILE`.
// In a warehouse of more than 1,000,000 triples, these are only the tables that modules declare.
MATCH (m:Module {warehouse: $warehouse})
// No relationship type is named: Browser would warn about a type that the database has never had.
OPTIONAL MATCH (m)-[r]-(n)
WHERE n:Module OR n:Table OR n:Workflow
RETURN m, r, n
LIMIT 300
