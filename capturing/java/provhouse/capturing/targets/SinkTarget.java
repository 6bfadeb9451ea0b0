package provhouse.capturing.targets;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.*;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.datasources.InsertIntoHadoopFsRelationCommand;
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.unsafe.types.UTF8String;
import provhouse.capturing.Unsupported;
import provhouse.capturing.plans.*;
import provhouse.capturing.spark.*;
import scala.Option;
import scala.collection.immutable.Map$;

/**
 * A folder to which a stream writes a batch. No command writes it: the sink runs the plan of the
 * batch, and then records the batch's files in its log.
 */
public final class SinkTarget extends FilesTarget {
  private static final Set<String> COVERED = Set.of("parquet", "csv", "json", "text");

  private final FileSink sink;
  private final long batch;
  private final String attempt;
  private final List<Attribute> partitions;
  private final SparkSession session;
  private final Set<String> before = new TreeSet<>();
  /** The files of the batch, if they are known. */
  private Set<String> own;

  private SinkTarget(
      FileSink sink,
      long batch,
      String attempt,
      InsertIntoHadoopFsRelationCommand command,
      SparkSession session) {
    super(command, session);
    this.sink = sink;
    this.batch = batch;
    this.attempt = attempt;
    this.session = session;
    partitions = Plans.list(command.partitionColumns());
  }

  /**
   * Return the target of a batch with these rows, which have the columns {@code named}. {@code
   * attempt} identifies the batch and the run of the stream.
   */
  public static SinkTarget of(
      FileSink sink,
      long batch,
      String attempt,
      LogicalPlan rows,
      List<Attribute> named,
      SparkSession session) {
    List<Attribute> partitions = partitions(sink, named, session);
    InsertIntoHadoopFsRelationCommand command =
        new InsertIntoHadoopFsRelationCommand(
            qualified(sink, session),
            Map$.MODULE$.empty(),
            false,
            Plans.seq(partitions),
            Option.empty(),
            sink.format(),
            sink.options(),
            sorted(rows, named, partitions),
            SaveMode.Append,
            Option.empty(),
            Option.empty(),
            Plans.seq(named.stream().map(Attribute::name).toList()));
    return new SinkTarget(sink, batch, attempt, command, session);
  }

  private static Path qualified(FileSink sink, SparkSession session) {
    Path path = new Path(sink.path());
    try {
      return path.getFileSystem(session.sessionState().newHadoopConf()).makeQualified(path);
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }

  private static List<Attribute> partitions(
      FileSink sink, List<Attribute> named, SparkSession session) {
    boolean exact = session.sessionState().conf().caseSensitiveAnalysis();
    List<Attribute> found = new ArrayList<>();
    for (String name : Plans.list(sink.partitions())) {
      named.stream()
          .filter(each -> exact ? each.name().equals(name) : each.name().equalsIgnoreCase(name))
          .findFirst()
          .ifPresent(found::add);
    }
    return found;
  }

  /**
   * Return the rows sorted by their partitions, in the order in which the sink needs them. So the
   * sink does not sort them again, and each of its files has its rows in the order of the plan.
   *
   * <p>The sink compares the orders by the columns {@code named} of the analyzed plan, of which the
   * optimizer may have renamed some. An empty string has the partition of NULL. If it were sorted
   * elsewhere, a task could write two files for this partition.
   */
  private static LogicalPlan sorted(
      LogicalPlan rows, List<Attribute> named, List<Attribute> partitions) {
    if (partitions.isEmpty()) {
      return rows;
    }
    List<NamedExpression> columns = new ArrayList<>();
    for (Attribute column : Plans.output(rows)) {
      Attribute name = named.get(columns.size());
      boolean isText = partitions.contains(name) && column.dataType() instanceof StringType;
      columns.add(Plans.renamed(isText ? emptyAsNull(column) : column, name));
    }
    List<SortOrder> order = partitions.stream().map(Plans::ascending).toList();
    return Operators.sorted(Plans.seq(order), Plans.only(columns, rows));
  }

  private static Expression emptyAsNull(Attribute column) {
    Literal empty = new Literal(UTF8String.EMPTY_UTF8, column.dataType());
    Literal none = new Literal(null, column.dataType());
    return new If(new EqualTo(column, empty), none, column);
  }

  /** Return whether the sink will skip the batch, since its log has the batch already. */
  public boolean isSkipped() {
    return batch <= sink.last();
  }

  @Override
  public void check() {
    boolean isParquet = sink.format().getClass() == ParquetFileFormat.class;
    if (!COVERED.contains(format()) || format().equals("parquet") && !isParquet) {
      throw Unsupported.write(
          "A stream writes it as " + format()
              + "; Parquet, CSV, JSON and text are covered, and foreachBatch for all formats");
    }
    before.addAll(sink.files());
  }

  /** Return whether both are the same batch in the same run of the stream. */
  public boolean isSame(Target other) {
    return other instanceof SinkTarget sunk && sunk.attempt.equals(attempt);
  }

  @Override
  public LogicalPlan with(LogicalPlan query) {
    return query;
  }

  @Override
  public List<Expression> texts() {
    List<String> names = partitions.stream().map(Attribute::name).toList();
    return Layout.texts(names, partitions, session.sessionState().conf().sessionLocalTimeZone());
  }

  @Override
  public boolean isSink() {
    return true;
  }

  @Override
  public boolean replaces() {
    return before.isEmpty();
  }

  @Override
  public boolean isKnown() {
    return sink.files(batch) != null;
  }

  @Override
  public Set<String> written() {
    Set<String> found = own == null ? sink.files(batch) : own;
    if (found == null) {
      return Set.of();
    }
    found.removeAll(before);
    before.clear(); // a stream may have many batches, and each would keep all earlier files
    own = found;
    return found;
  }
}
