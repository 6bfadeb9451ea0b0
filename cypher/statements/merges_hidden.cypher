// After a rollback, these components are no longer merged.
UNWIND $rows AS row
MATCH (:Component {warehouse: $warehouse, id: row.component})-[merged:MERGED_INTO]->
      (:Component {warehouse: $warehouse, id: row.into})
DELETE merged
