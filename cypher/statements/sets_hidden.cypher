// Sets that only other generations show keep their nodes, but are then part of no component.
UNWIND range(0, size($rows.set) - 1) AS row
MATCH (:Set {warehouse: $warehouse, id: $rows.set[row]})-[of:PART_OF]->()
DELETE of
