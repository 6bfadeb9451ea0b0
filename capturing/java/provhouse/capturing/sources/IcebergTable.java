package provhouse.capturing.sources;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.*;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.SparkSession;
import provhouse.capturing.Unsupported;
import provhouse.capturing.plans.*;

/** Facts about an Iceberg table. */
public final class IcebergTable {
  private static final String SPARK = "org.apache.iceberg.spark.";
  private final Object table;

  private IcebergTable(Object table) {
    this.table = table;
  }

  /** Return whether a table of Spark is an Iceberg table. */
  public static boolean is(Object ofSpark) {
    return ofSpark.getClass().getName().startsWith(SPARK);
  }

  /** Return the facts of an Iceberg table. Refuse its metadata tables, such as its history. */
  public static IcebergTable of(Object ofSpark) {
    Object table = Hidden.call(ofSpark, "table");
    checkVersions(table);
    for (Class<?> each = table.getClass(); each != null; each = each.getSuperclass()) {
      if (each.getName().equals("org.apache.iceberg.BaseMetadataTable")) {
        throw Unsupported.operator(
            "scan", "It reads " + name(table) + ", the metadata of an Iceberg table");
      }
    }
    return new IcebergTable(table);
  }

  /** Refuse other versions, since members of Iceberg's classes are used that are not public. */
  private static void checkVersions(Object table) {
    String iceberg = Hidden.call(table, "org.apache.iceberg.IcebergBuild", "version");
    String spark = SparkSession.active().version();
    if (!iceberg.startsWith("1.12.") || !spark.startsWith("4.1.")) {
      throw Unsupported.operator(
          "Iceberg",
          "This is Iceberg " + iceberg + " on Spark " + spark
              + "; only Iceberg 1.12 on Spark 4.1 is covered");
    }
  }

  Object table() {
    return table;
  }

  /** Return a name for the ids of the table's rows, which no other table has. */
  public String rowIds() {
    return "_row_id of " + Hidden.call(table, "uuid");
  }

  private static String name(Object table) {
    return Hidden.call(table, "name");
  }

  /** Return the table's name in its catalog, or the last part of its path. */
  public String name() {
    String name = name(table);
    return name.contains("/") ? new Path(name).getName() : name.substring(name.lastIndexOf('.') + 1);
  }

  /** Return the full path of the table's folder. */
  public Path location() {
    Path found = new Path(Hidden.<String>call(table, "location"));
    try {
      return found
          .getFileSystem(SparkSession.active().sessionState().newHadoopConf())
          .makeQualified(found);
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }

  public Map<String, String> properties() {
    return Hidden.call(table, "properties");
  }

  /** Return whether the table has no rows yet. */
  public boolean isEmpty() {
    return Hidden.call(table, "currentSnapshot") == null;
  }

  /**
   * Return the name of each column in files, keyed by its name in the table. Return an empty map if
   * all names are the same. Refuse a table whose older files may have other names.
   */
  public Map<String, String> fileNames() {
    Map<Object, String> names = new HashMap<>();
    Map<String, Object> ids = new HashMap<>();
    Map<Object, Object> schemas = Hidden.call(table, "schemas");
    for (Object schema : schemas.values()) {
      for (Object column : Hidden.<List<Object>>call(schema, "columns")) {
        String name = Hidden.call(column, "name");
        Object id = Hidden.call(column, "fieldId");
        if (!names.computeIfAbsent(id, ignored -> name).equals(name)
            || !ids.computeIfAbsent(name, ignored -> id).equals(id)) {
          throw Unsupported.operator(
              "scan",
              "The column " + name + " of the Iceberg table " + name()
                  + " was renamed, or replaced by another column of this name");
        }
      }
    }
    Map<String, String> found = new LinkedHashMap<>();
    Object schema = Hidden.call(table, "schema");
    for (Object column : Hidden.<List<Object>>call(schema, "columns")) {
      String name = Hidden.call(column, "name");
      String owner = "org.apache.iceberg.avro.AvroSchemaUtil"; // Parquet files have Avro's names
      found.put(name, Hidden.call(table, owner, "makeCompatibleName", name));
    }
    boolean same = found.entrySet().stream().allMatch(each -> each.getKey().equals(each.getValue()));
    return same ? Map.of() : found;
  }
}
