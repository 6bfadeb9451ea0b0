// Which table derives from which
// Shows nothing if no item has a table. A trace names tables in the columns src_table and dst_table.
MATCH (t:Table {warehouse: $warehouse})
OPTIONAL MATCH (t)-[d:DERIVES_FROM]->(source:Table)
RETURN t, d, source
