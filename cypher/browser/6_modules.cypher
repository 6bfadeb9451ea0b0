// Modules, the tables that they read and make, and their workflows
MATCH (m:Module {warehouse: $warehouse})
// No relationship type is named: Browser would warn about a type that the database has never had.
OPTIONAL MATCH (m)-[r]-(n)
WHERE n:Module OR n:Table OR n:Workflow
RETURN m, r, n
LIMIT 300
