// Deletes the merges of components that a rollback has undone.
UNWIND range(0, size($component) - 1) AS row
MATCH (:Component {warehouse: $warehouse, id: $component[row]})-[merged:MERGED_INTO]->
      (:Component {warehouse: $warehouse, id: $into[row]})
DELETE merged
