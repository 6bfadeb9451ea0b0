// Sets that the current generation does not show stay for those that did, but are part of nothing.
UNWIND $rows AS row
MATCH (:Set {warehouse: $warehouse, id: row.set})-[of:PART_OF]->()
DELETE of
