package provhouse.capturing.sources;

import java.nio.charset.StandardCharsets;
import java.util.*;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.LogicalRelation;
import org.apache.spark.sql.execution.datasources.jdbc.JDBCRelation;

/** The names of tables in keys and in items: a name in the catalog, or the end of a path. */
public final class TableNames {
  private static final Set<String> KEYED = Set.of("csv", "json", "orc", "text", "txt", "xml", "avro");
  private static final String PARQUET = ".parquet";

  private TableNames() {}

  /** Return the names that an ingest uses for the tables that a scan reads. */
  public static List<String> of(LogicalRelation node) {
    if (node.catalogTable().isEmpty() && node.relation() instanceof HadoopFsRelation) {
      return SourceFiles.rootPaths(node).stream()
          .map(root -> ofFiles(ofKeyed(root.getName())))
          .toList();
    }
    KafkaTopics topics = KafkaTopics.of(node);
    String table = declared(node);
    return topics != null ? topics.names() : table == null ? List.of() : List.of(table);
  }

  /**
   * Return the name by which users declare the key of a scanned table, or null for an unknown
   * source.
   */
  static String declared(LogicalRelation node) {
    if (node.catalogTable().isDefined()) {
      return node.catalogTable().get().identifier().table();
    }
    if (node.relation() instanceof HadoopFsRelation) {
      List<Path> roots = SourceFiles.rootPaths(node);
      return roots.size() == 1 ? ofKeyed(roots.get(0).getName()) : null;
    }
    if (node.relation() instanceof JDBCRelation database) {
      return ofDatabase(database.jdbcOptions().tableOrQuery());
    }
    return null;
  }

  /** Return the name of a table of records: its name in the catalog, or the end of its path. */
  static String ofRecords(LogicalRelation node, String root) {
    return node.catalogTable().isDefined()
        ? node.catalogTable().get().identifier().table()
        : ofKeyed(new Path(root).getName());
  }

  /** Return the name of a table of Parquet or Delta files from the last part of its path. */
  public static String ofFiles(String last) {
    return last.endsWith(PARQUET) ? last.substring(0, last.length() - PARQUET.length()) : last;
  }

  /** Return the name of a table of files in other formats from the last part of its path. */
  public static String ofKeyed(String last) {
    int dot = last.lastIndexOf('.');
    boolean known = dot > 0 && KEYED.contains(last.substring(dot + 1).toLowerCase(Locale.ROOT));
    return known ? last.substring(0, dot) : last;
  }

  /** Return the name of another database's table, without the schema and quotes. */
  public static String ofDatabase(String table) {
    return table.replaceAll("^.*[ .]", "").replaceAll("[\"`]", "");
  }

  /**
   * Return a path for a table of another database; tables at different database addresses get
   * different paths.
   *
   * <p>The path does not contain the address, which may contain a password.
   */
  public static Path placeOf(String url, String table) {
    String address = url + " " + table;
    UUID place = UUID.nameUUIDFromBytes(address.getBytes(StandardCharsets.UTF_8));
    return new Path("/jdbc/" + place + "/" + ofDatabase(table));
  }
}
