package provhouse.capturing.targets;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.*;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.plans.logical.*;
import org.apache.spark.sql.connector.catalog.FunctionCatalog;
import org.apache.spark.sql.connector.distributions.Distribution;
import org.apache.spark.sql.connector.distributions.Distributions;
import org.apache.spark.sql.connector.expressions.Expressions;
import org.apache.spark.sql.connector.expressions.SortDirection;
import org.apache.spark.sql.connector.expressions.SortOrder;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.connector.write.RequiresDistributionAndOrdering;
import org.apache.spark.sql.connector.write.RowLevelOperation;
import org.apache.spark.sql.connector.write.Write;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import org.apache.spark.sql.execution.datasources.v2.DistributionAndOrderingUtils$;
import provhouse.capturing.Unsupported;
import provhouse.capturing.plans.*;
import provhouse.capturing.sources.*;
import scala.Option;

/**
 * An Iceberg table, with or without partitions. Spark itself runs the write, which is a part of the
 * command, so the taps are in the command's plan.
 */
final class IcebergTarget implements IcebergPlace {
  private static final String TABLES = "org.apache.iceberg.spark.source.";
  private final V2WriteCommand command;
  private final DataSourceV2Relation relation;
  private final IcebergCommit commit = new IcebergCommit();
  private LogicalPlan rows;

  private IcebergTarget(V2WriteCommand command, DataSourceV2Relation relation) {
    this.command = command;
    this.relation = relation;
  }

  /** Return the target of a command, or null if it does not write rows to an Iceberg table. */
  static IcebergTarget of(LogicalPlan command) {
    if (!(command instanceof V2WriteCommand writing)) {
      return null;
    }
    boolean changes = writing instanceof RowLevelWrite;
    Object table = changes ? ((RowLevelWrite) writing).originalTable() : writing.table();
    return table instanceof DataSourceV2Relation relation && IcebergTable.is(relation.table())
        ? new IcebergTarget(writing, relation)
        : null;
  }

  @Override
  public IcebergTable iceberg() {
    return IcebergTable.of(relation.table());
  }

  private Write write() {
    Option<Write> write = Named.call(command, "write");
    if (write.isEmpty()) {
      throw Unsupported.write("Spark has not planned how to write to " + relation.name());
    }
    return write.get();
  }

  @Override
  public void check() {
    if (!List.of(TABLES + "SparkTable", TABLES + "StagedSparkTable")
        .contains(relation.table().getClass().getName())) {
      throw Unsupported.write("It moves rows of an Iceberg table to other files (rewrite_data_files)");
    }
    Write write = write();
    if (!format(write).equals("PARQUET")) {
      throw Unsupported.write("It writes an Iceberg table in files that are not Parquet");
    }
    String branch = Hidden.field(write, "branch");
    if (branch != null && !branch.equals("main")) {
      throw Unsupported.write("It writes to the branch " + branch + " of an Iceberg table");
    }
    if (Hidden.<Boolean>field(write, "wapEnabled") && Hidden.field(write, "wapId") != null) {
      throw Unsupported.write("It writes to an Iceberg table without publishing (write.wap.enabled)");
    }
    for (String property : List.of("write.data.path", "write.object-storage.enabled",
        "write.location-provider.impl")) {
      if (iceberg().properties().containsKey(property)) {
        throw Unsupported.write("The files of the Iceberg table are elsewhere, by " + property);
      }
    }
    if (isDelta() && isInterleaved() && Hidden.<Boolean>field(context(), "inputOrdered")) {
      throw Unsupported.write(
          "It writes an Iceberg table with a sort order to several files at once"
              + " (write.spark.fanout.enabled)");
    }
    iceberg().fileNames();
    query();
  }

  /** Return whether the command writes only changed rows, and the positions of replaced rows. */
  private boolean isDelta() {
    return command instanceof WriteDelta;
  }

  private boolean isDelete() {
    return command instanceof RowLevelWrite changing
        && changing.operation().command() == RowLevelOperation.Command.DELETE;
  }

  private Object context() {
    return Hidden.field(write(), "context");
  }

  private String format(Write write) {
    Object found =
        isDelta() ? Hidden.field(context(), "dataFileFormat") : Hidden.field(write, "format");
    return found.toString();
  }

  /**
   * Return the plan of the rows. In each task, the rows of a partition follow each other, so that
   * the files of the task have the rows in the order of the plan.
   */
  @Override
  public LogicalPlan query() {
    if (rows == null) {
      LogicalPlan plan = Plans.named(command.query(), names());
      rows = isInterleaved() ? clustered(plan) : plan;
    }
    return rows;
  }

  /** Return whether a task may write to the files of several partitions at the same time. */
  private boolean isInterleaved() {
    boolean writes = !isDelta() || !isDelete();
    return writes
        && relation.table().partitioning().length > 0
        && Hidden.<Boolean>field(isDelta() ? context() : write(), "useFanoutWriter");
  }

  private LogicalPlan clustered(LogicalPlan plan) {
    Option<FunctionCatalog> functions =
        relation.catalog().isDefined() && relation.catalog().get() instanceof FunctionCatalog found
            ? Option.apply(found)
            : Option.empty();
    Write clustering = new Clustering(relation.table().partitioning());
    return DistributionAndOrderingUtils$.MODULE$.prepareQuery(clustering, plan, functions);
  }

  @Override
  public LogicalPlan changing() {
    return command instanceof RowLevelWrite ? (LogicalPlan) command : null;
  }

  @Override
  public LogicalPlan stored() {
    List<String> columns = columns();
    List<Attribute> found =
        Plans.output(query()).stream().filter(each -> columns.contains(each.name())).toList();
    return changing() == null ? query() : Plans.only(found, query());
  }

  @Override
  public List<String> names() {
    List<Attribute> written = Plans.output(command.query());
    return changing() == null ? columns() : written.stream().map(Attribute::name).toList();
  }

  private List<String> columns() {
    return Plans.output(relation).stream().map(Attribute::name).toList();
  }

  @Override
  public LogicalPlan with(LogicalPlan query) {
    Write write = write();
    if (isInterleaved() && !isDelta()) { // the sort of a delta moves its deleted rows
      Hidden.set(write, "useFanoutWriter", false);
    }
    Option<Write> recorded = Option.apply(commit.recorded(write));
    return Plans.with((LogicalPlan) command, Map.of("query", query, "write", recorded));
  }

  @Override
  public boolean replaces() {
    boolean all =
        command instanceof OverwriteByExpression overwriting
            && overwriting.deleteExpr().equals(Literal.TrueLiteral());
    return all || relation.table().getClass().getName().endsWith("StagedSparkTable")
        || iceberg().isEmpty();
  }

  @Override
  public boolean isKnown() {
    return commit.isKnown();
  }

  @Override
  public Set<String> written() {
    return commit.files();
  }

  @Override
  public Expression skipped() {
    return isDelta() ? RowLevel.deletes(query()) : null;
  }

  /** A staged table is committed later, when its rows may get other ids. */
  @Override
  public Map<String, Object> tracking() {
    boolean staged = relation.table().getClass().getName().endsWith("StagedSparkTable");
    return staged || commit.firstRows() == null
        ? null
        : Map.of("column", iceberg().rowIds(), "files", commit.firstRows());
  }

  @Override
  public Set<String> removed() {
    return commit.removed();
  }

  @Override
  public Map<String, JsonNode[]> vectors() {
    return commit.vectors();
  }

  @Override
  public String committed() {
    return commit.address();
  }

  /** A write that only requires that the rows of a task are sorted by their partitions. */
  private record Clustering(Transform[] partitions)
      implements Write, RequiresDistributionAndOrdering {
    @Override
    public Distribution requiredDistribution() {
      return Distributions.unspecified();
    }

    @Override
    public SortOrder[] requiredOrdering() {
      return Arrays.stream(partitions)
          .map(each -> Expressions.sort(each, SortDirection.ASCENDING))
          .toArray(SortOrder[]::new);
    }
  }
}
