// Changed modules keep their nodes, so that relationships from other modules to them stay.
CALL () {
  UNWIND $gone AS name
  MATCH (m:Module {warehouse: $warehouse, name: name})
  DETACH DELETE m
}
CALL () {
  UNWIND $changed AS name
  MATCH (:Module {warehouse: $warehouse, name: name})-[own:READS|DERIVES_FROM|PART_OF]->()
  DELETE own
}
CALL () {
  UNWIND $changed AS name
  MATCH (:Module {warehouse: $warehouse, name: name})<-[made:MADE_BY]-()
  DELETE made
}
