package provhouse.capturing.sources;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.*;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import provhouse.capturing.Unsupported;
import provhouse.capturing.plans.*;
import provhouse.capturing.taps.*;

/**
 * Rewrites scans of Iceberg tables, so that each row carries its id.
 *
 * <p>Iceberg itself provides the file and the position of each row. Positions count the rows that
 * were deleted without rewriting the file.
 */
public final class IcebergSources {
  private static final String FILE = "_file";
  private static final String POSITION = "_pos";

  private IcebergSources() {}

  /** Return the name by which an ingest finds the key of a scanned table. */
  public static String nameOf(LogicalPlan node) {
    return tableOf((DataSourceV2ScanRelation) node).name();
  }

  private static IcebergTable tableOf(DataSourceV2ScanRelation node) {
    return IcebergTable.of(RowLevel.tableOf(node.relation()));
  }

  /** Rewrite a scan. The id is the last column. */
  public static Rewritten scan(LogicalPlan scan, SourceFiles files) {
    DataSourceV2ScanRelation node = (DataSourceV2ScanRelation) scan;
    IcebergTable table = tableOf(node);
    IcebergScan wider = IcebergScan.of(node.scan());
    List<AttributeReference> output = new ArrayList<>(Plans.list(node.output()));
    for (StructField field : wider.readSchema().fields()) {
      if (columnOf(output, field.name()) == null) {
        output.add(Plans.column(field.name(), field.dataType()));
      }
    }
    LogicalPlan read = Plans.with(node, Map.of("scan", wider, "output", Plans.seq(output)));
    List<Expression> place = List.of(columnOf(output, FILE), columnOf(output, POSITION));
    IcebergIds ids = files.icebergIds(table, listed(wider, table));
    Alias id =
        Plans.alias(
            new KnownNotNull(Plans.call(ids, "id", DataTypes.LongType, place, true)),
            "provhouse_row");
    LogicalPlan rows = Plans.only(Plans.joined(Plans.output(node), List.of(id)), read);
    return new Rewritten(rows, List.of(new Slot(id.toAttribute(), Form.ROWS)));
  }

  private static AttributeReference columnOf(List<AttributeReference> columns, String name) {
    return columns.stream().filter(each -> each.name().equals(name)).findFirst().orElse(null);
  }

  /** Return the data files of a scan, keyed as in {@code _file}. Refuse files without positions. */
  private static Map<String, IcebergFile> listed(IcebergScan scan, IcebergTable table) {
    Map<String, IcebergFile> found = new LinkedHashMap<>();
    Configuration settings = SparkSession.active().sessionState().newHadoopConf();
    for (Object task : scan.tasks()) {
      Object file = Hidden.call(task, "file");
      String path = Hidden.call(file, "location");
      if (!Hidden.call(file, "format").toString().equals("PARQUET")) {
        throw Unsupported.operator(
            "scan", "The Iceberg table " + table.name() + " has files that are not Parquet");
      }
      if (Hidden.call(file, "keyMetadata") != null) {
        throw Unsupported.operator(
            "scan", "The files of the Iceberg table " + table.name() + " are encrypted");
      }
      if (!found.containsKey(path)) { // a large file has several tasks
        Map<String, Object> deleted = IcebergDeletes.of(task, table.table());
        FileStatus status = status(new Path(path), settings);
        Long first = Hidden.call(file, "firstRowId");
        Long sequence = Hidden.call(file, "dataSequenceNumber");
        found.put(path, new IcebergFile(status, deleted, first, sequence));
      }
    }
    return found;
  }

  private static FileStatus status(Path path, Configuration settings) {
    try {
      return path.getFileSystem(settings).getFileStatus(path);
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }
}
