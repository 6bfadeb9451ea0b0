package provhouse.capturing.sources;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.connector.expressions.NamedReference;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.connector.metric.CustomMetric;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;
import org.apache.spark.sql.connector.read.*;
import org.apache.spark.sql.types.StructType;
import provhouse.capturing.Unsupported;
import provhouse.capturing.plans.*;

/**
 * A scan of an Iceberg table that reads the same rows as another scan, with further columns.
 *
 * <p>Spark has already pushed the columns and filters of the plan into {@code given}, so {@code
 * wider} is a copy with a wider schema. If rows are changed, the commit asks {@code given} which
 * files were read. So filters that Spark finds at run time go to both scans.
 */
final class IcebergScan implements Scan, SupportsRuntimeV2Filtering, SupportsReportStatistics {
  private static final String SCANS = "org.apache.iceberg.spark.source.";
  private static final String METADATA = "org.apache.iceberg.MetadataColumns";
  private final Scan given;
  private final SupportsRuntimeV2Filtering wider;

  private IcebergScan(Scan given, SupportsRuntimeV2Filtering wider) {
    this.given = given;
    this.wider = wider;
  }

  /** Return a scan that also reads the file and the position of each row. */
  static IcebergScan of(Scan given) {
    String name = given.getClass().getName();
    if (name.equals(SCANS + "SparkLocalScan")) {
      throw Unsupported.operator(
          "scan",
          "Iceberg answers an aggregate from its metadata, without reading rows; set the read"
              + " option aggregate-push-down-enabled to false");
    }
    if (!name.equals(SCANS + "SparkBatchQueryScan") && !name.equals(SCANS + "SparkCopyOnWriteScan")) {
      throw Unsupported.operator(
          "scan", "It reads changes or an increment of an Iceberg table (" + given.description() + ")");
    }
    Object schema = Hidden.field(given, "projection");
    List<Object> columns = new ArrayList<>(Hidden.<List<Object>>call(schema, "columns"));
    for (String each : List.of("FILE_PATH", "ROW_POSITION")) {
      Object column = Hidden.constant(given, METADATA, each);
      String read = Hidden.call(column, "name");
      if (columns.stream().noneMatch(old -> read.equals(Hidden.call(old, "name")))) {
        columns.add(column);
      }
    }
    Object copy =
        Hidden.made(
            given.getClass(),
            Hidden.field(given, "spark"),
            Hidden.field(given, "table"),
            Hidden.field(given, "schema"),
            Hidden.field(given, "snapshot"),
            Hidden.field(given, "branch"),
            Hidden.field(given, "scan"),
            Hidden.field(given, "readConf"),
            schemaOf(schema.getClass(), columns),
            Hidden.field(given, "filters"),
            Hidden.field(given, "scanReportSupplier"));
    Hidden.set(copy, "tasks", Hidden.call(given, "tasks")); // the files are planned only once
    return new IcebergScan(given, (SupportsRuntimeV2Filtering) copy);
  }

  private static Object schemaOf(Class<?> kind, List<Object> columns) {
    try {
      return kind.getConstructor(List.class).newInstance(columns);
    } catch (ReflectiveOperationException error) {
      throw Unsupported.operator("Iceberg", "This version has other schemas: " + error);
    }
  }

  /** Return the planned reads of files or of parts of files. */
  List<?> tasks() {
    return Hidden.call(wider, "tasks");
  }

  @Override
  public StructType readSchema() {
    return wider.readSchema();
  }

  @Override
  public String description() {
    return wider.description();
  }

  @Override
  public Batch toBatch() {
    return wider.toBatch();
  }

  @Override
  public ColumnarSupportMode columnarSupportMode() {
    return wider.columnarSupportMode();
  }

  @Override
  public CustomMetric[] supportedCustomMetrics() {
    return wider.supportedCustomMetrics();
  }

  @Override
  public CustomTaskMetric[] reportDriverMetrics() {
    return wider.reportDriverMetrics();
  }

  @Override
  public Statistics estimateStatistics() {
    return ((SupportsReportStatistics) wider).estimateStatistics();
  }

  @Override
  public NamedReference[] filterAttributes() {
    return wider.filterAttributes();
  }

  @Override
  public void filter(Predicate[] predicates) {
    wider.filter(predicates);
    ((SupportsRuntimeV2Filtering) given).filter(predicates);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof IcebergScan scan && scan.wider.equals(wider);
  }

  @Override
  public int hashCode() {
    return wider.hashCode();
  }
}
