// Each key contains the warehouse, because several warehouses can share a server.
CREATE CONSTRAINT set_key IF NOT EXISTS
FOR (s:Set) REQUIRE (s.warehouse, s.id) IS UNIQUE;
CREATE CONSTRAINT component_key IF NOT EXISTS
FOR (c:Component) REQUIRE (c.warehouse, c.id) IS UNIQUE;
CREATE CONSTRAINT table_key IF NOT EXISTS
FOR (t:Table) REQUIRE (t.warehouse, t.name) IS UNIQUE;
CREATE CONSTRAINT generation_key IF NOT EXISTS
FOR (g:Generation) REQUIRE (g.warehouse, g.number) IS UNIQUE;
CREATE CONSTRAINT load_key IF NOT EXISTS
FOR (l:Load) REQUIRE (l.warehouse, l.commit) IS UNIQUE;
CREATE CONSTRAINT item_key IF NOT EXISTS
FOR (i:Item) REQUIRE (i.warehouse, i.view, i.key) IS UNIQUE;
CREATE CONSTRAINT workflow_key IF NOT EXISTS
FOR (w:Workflow) REQUIRE (w.warehouse, w.name) IS UNIQUE;
CREATE CONSTRAINT module_key IF NOT EXISTS
FOR (m:Module) REQUIRE (m.warehouse, m.name) IS UNIQUE;
CREATE CONSTRAINT invocation_key IF NOT EXISTS
FOR (i:Invocation) REQUIRE (i.warehouse, i.number) IS UNIQUE;
CREATE CONSTRAINT revision_key IF NOT EXISTS
FOR (r:Revision) REQUIRE (r.warehouse, r.name) IS UNIQUE;
CREATE CONSTRAINT execution_key IF NOT EXISTS
FOR (e:Execution) REQUIRE (e.warehouse, e.execution) IS UNIQUE;
CREATE CONSTRAINT result_key IF NOT EXISTS
FOR (r:Result) REQUIRE (r.warehouse, r.result) IS UNIQUE
