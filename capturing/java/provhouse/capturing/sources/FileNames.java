package provhouse.capturing.sources;

import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import provhouse.capturing.plans.*;

/** The names that columns have in the files of a Delta table with column mapping. */
public final class FileNames {
  private static final String PHYSICAL = "delta.columnMapping.physicalName";

  private FileNames() {}

  /**
   * Return each column's name in the files that a scan reads, keyed by its name in the table.
   * Return an empty map if all names are the same.
   */
  public static Map<String, String> of(HadoopFsRelation relation) {
    Object format = relation.fileFormat(); // Delta keeps the names in the format
    boolean delta = format.getClass().getName().equals(Sources.DELTA);
    return delta ? of(Named.<StructType>call(format, "referenceSchema")) : Map.of();
  }

  /**
   * Return each column's name in the files of a table with this schema, keyed by its name in the
   * table. Return an empty map if all names are the same.
   */
  public static Map<String, String> of(StructType schema) {
    Map<String, String> found = new LinkedHashMap<>();
    for (StructField field : schema.fields()) {
      boolean mapped = field.metadata().contains(PHYSICAL);
      found.put(field.name(), mapped ? field.metadata().getString(PHYSICAL) : field.name());
    }
    boolean same = found.entrySet().stream().allMatch(each -> each.getKey().equals(each.getValue()));
    return same ? Map.of() : found;
  }
}
