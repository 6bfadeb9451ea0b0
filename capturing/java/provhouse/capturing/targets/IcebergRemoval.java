package provhouse.capturing.targets;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.*;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.analysis.ResolvedTable;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.connector.catalog.Column;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation;
import provhouse.capturing.Unsupported;
import provhouse.capturing.plans.*;
import provhouse.capturing.sources.*;

/**
 * An Iceberg table from which a DELETE or TRUNCATE only removes whole files. Iceberg commits this
 * without a plan, so the new snapshots show which files were removed.
 */
final class IcebergRemoval implements IcebergPlace {
  private static final String BRANCH = "spark.wap.branch";
  private final Table table;
  private final SparkSession session;
  private IcebergSnapshots snapshots;
  private LogicalPlan rows;
  private int commits;
  private String committed = "";
  private final Map<String, JsonNode[]> vectors = new TreeMap<>();
  private final Set<String> removed = new TreeSet<>();

  private IcebergRemoval(Table table, SparkSession session) {
    this.table = table;
    this.session = session;
  }

  /** Return the target of a command, or null if it does not remove files of an Iceberg table. */
  static IcebergRemoval of(LogicalPlan command, SparkSession session) {
    Object read = RowLevel.removesFiles(command) ? Plans.field(command, "table") : null;
    Object relation = read instanceof DataSourceV2ScanRelation scan ? scan.relation() : read;
    Table table =
        relation instanceof DataSourceV2Relation found
            ? found.table()
            : relation instanceof ResolvedTable named ? named.table() : null;
    return table != null && IcebergTable.is(table) ? new IcebergRemoval(table, session) : null;
  }

  @Override
  public IcebergTable iceberg() {
    return IcebergTable.of(table);
  }

  @Override
  public void check() {
    String branch = Hidden.field(table, "branch");
    if (branch != null && !branch.equals("main") || session.conf().getOption(BRANCH).isDefined()) {
      throw Unsupported.write("It deletes rows in a branch of the Iceberg table " + table());
    }
    iceberg().fileNames();
    snapshots = IcebergSnapshots.after(table);
    if (snapshots.haveValueDeletes()) {
      throw Unsupported.write(
          "It removes files of the Iceberg table " + table()
              + ", where rows were deleted by their values (equality deletes)");
    }
  }

  @Override
  public LogicalPlan query() {
    return rows;
  }

  @Override
  public void changed(LogicalPlan none) {
    rows = none;
  }

  @Override
  public List<String> names() {
    return Arrays.stream(table.columns()).map(Column::name).toList();
  }

  @Override
  public LogicalPlan with(LogicalPlan query) {
    return query;
  }

  @Override
  public boolean replaces() {
    return false;
  }

  /** Read the snapshots that were added since the command began. The command writes no files. */
  @Override
  public Set<String> written() {
    if (commits == 0) {
      for (Object each : snapshots.added()) {
        commits++;
        removed.addAll(snapshots.removedBy(each));
        committed = removed.isEmpty() ? "" : IcebergSnapshots.addressOf(each);
      }
      if (!removed.isEmpty()) {
        snapshots.deleted(removed).forEach(this::addVector);
      }
    }
    return Set.of();
  }

  private void addVector(String file, Map<String, Object> deleted) {
    vectors.put(file, new JsonNode[] {new ObjectMapper().valueToTree(deleted), null});
  }

  @Override
  public Set<String> removed() {
    return removed;
  }

  @Override
  public Map<String, JsonNode[]> vectors() {
    return vectors;
  }

  @Override
  public String committed() {
    return committed;
  }

  @Override
  public int commits() {
    return commits;
  }
}
