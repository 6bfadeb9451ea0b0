// The revisions whose executions gave the results that most executions have given
// Shows nothing if no execution of a revision has a stored result. See docs/revisions.md.
MATCH (e:Execution {warehouse: $warehouse})-[gave]->(r:Result)
WITH r, count(e) AS executions
ORDER BY executions DESC
LIMIT 10
MATCH (r)<-[gave]-(e:Execution)-[of]->(v:Revision)
OPTIONAL MATCH (w:Workflow)-[has]->(v)
RETURN r, gave, e, of, v, has, w
LIMIT 300
