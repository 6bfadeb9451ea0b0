// What each difference between two revisions did to their results
// Shows nothing if no two revisions after each other have results. See docs/revisions.md.
MATCH (a:Revision {warehouse: $warehouse})-[next]->(b:Revision)
WHERE next.changes IS NOT NULL
MATCH (a)<--(:Execution)-[before]->(old:Result)
MATCH (b)<--(:Execution)-[after]->(new:Result)
WHERE before.sink = after.sink
WITH DISTINCT a, next, b, after.sink AS sink, old, new
ORDER BY b.number DESC
LIMIT 100
RETURN a.name AS before, b.name AS after, next.changes AS changes, sink,
       CASE WHEN old = new THEN 'the same result' ELSE 'another result' END AS result,
       old.records AS records_before, new.records AS records_after
