// The revisions whose executions gave the results that most executions have given
MATCH (e:Execution {warehouse: $warehouse})-[gave]->(r:Result)
WITH r, count(e) AS executions
ORDER BY executions DESC
LIMIT 10
MATCH (r)<-[gave]-(e:Execution)-[of]->(v:Revision)
OPTIONAL MATCH (w:Workflow)-[has]->(v)
RETURN r, gave, e, of, v, has, w
LIMIT 300
