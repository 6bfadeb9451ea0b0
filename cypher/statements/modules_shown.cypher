// The numbers of relationships are stored with each node, so counting them reads no relationship.
MATCH (m:Module {warehouse: $warehouse})
WHERE m.name IS NOT NULL
WITH m, COUNT {(m)-[:READS]->()} AS reads, COUNT {()-[:MADE_BY]->(m)} AS made,
     COUNT {(m)-[:DERIVES_FROM]->()} AS derives, COUNT {(m)-[:PART_OF]->()} AS parts
RETURN [m.name, m.state, reads + ' ' + made + ' ' + derives + ' ' + parts]
