// Deletes the merges of components that a rollback has undone.
UNWIND range(0, size($rows.component) - 1) AS row
MATCH (:Component {warehouse: $warehouse, id: $rows.component[row]})-[merged:MERGED_INTO]->
      (:Component {warehouse: $warehouse, id: $rows.into[row]})
DELETE merged
