// Sets that only earlier generations show keep their nodes, but are part of no component.
UNWIND $rows AS row
MATCH (:Set {warehouse: $warehouse, id: row.set})-[of:PART_OF]->()
DELETE of
