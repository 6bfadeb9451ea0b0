MERGE (:Load {warehouse: $warehouse, commit: $commit})
