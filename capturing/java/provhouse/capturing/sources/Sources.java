package provhouse.capturing.sources;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.datasources.FileFormat;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.LogicalRelation;
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat;
import org.apache.spark.sql.sources.DataSourceRegister;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Metadata;
import provhouse.capturing.Unsupported;
import provhouse.capturing.plans.*;
import provhouse.capturing.taps.*;
import scala.Option;

/** Rewrites scans of files, so that each row carries its id. */
public final class Sources {
  public static final String DELTA = "org.apache.spark.sql.delta.DeltaParquetFileFormat";

  private static final List<String> RECORDS =
      List.of("csv", "json", "text", "orc", "xml", "avro", "binaryFile");

  private Sources() {}

  public static Rewritten scan(LogicalRelation node, SourceFiles files) {
    if (KafkaTopics.of(node) != null) {
      return files.topics(node);
    }
    if (!hasPlaces(node)) {
      return files.isKeyed(node) || !hasRecords(node) ? files.keyed(node) : records(node, files);
    }
    checkReadable(node);
    Option<CatalogTable> table = node.catalogTable();
    String name = table.isDefined() ? table.get().identifier().table() : "";
    LogicalPlan rows = identified(node, files.rowIds(node, name));
    return new Rewritten(rows, List.of(new Slot(id(rows), Form.ROWS, readable(node))));
  }

  /** Return whether the rows of a source are identified by their positions in files. */
  public static boolean hasPlaces(LogicalRelation node) {
    return node.relation() instanceof HadoopFsRelation
        && List.of(ParquetFileFormat.class.getName(), DELTA).contains(formatOf(node));
  }

  /**
   * Return whether the rows of a source can be identified by their positions among a file's
   * records.
   */
  private static boolean hasRecords(LogicalRelation node) {
    return node.relation() instanceof HadoopFsRelation relation
        && RECORDS.contains(nameOf(relation.fileFormat()));
  }

  /** Return the short name of a format, such as {@code csv}. */
  public static String nameOf(FileFormat format) {
    return format instanceof DataSourceRegister named ? named.shortName() : format.toString();
  }

  /** Return whether the first line of each file has the names of its columns. */
  static boolean hasHeader(HadoopFsRelation relation) {
    return nameOf(relation.fileFormat()).equals("csv")
        && "true".equalsIgnoreCase(optionOf(relation, "header"));
  }

  /**
   * Return which lines are records: "every" line, each "filled" line, or an empty string if a
   * record may consist of several lines.
   */
  static String lines(HadoopFsRelation relation) {
    String format = nameOf(relation.fileFormat());
    boolean several =
        Stream.of("wholetext", "multiLine", "lineSep", "encoding", "charset")
            .anyMatch(each -> optionOf(relation, each) != null);
    if (several || !List.of("csv", "json", "text").contains(format)) {
      return "";
    }
    return format.equals("text") ? "every" : "filled";
  }

  private static String optionOf(HadoopFsRelation relation, String name) {
    for (Map.Entry<String, String> option : Plans.map(relation.options()).entrySet()) {
      if (option.getKey().equalsIgnoreCase(name)) {
        return option.getValue();
      }
    }
    return null;
  }

  /**
   * Rewrite a scan of records without a key. A record is identified by its position in its file.
   */
  private static Rewritten records(LogicalRelation node, SourceFiles files) {
    checkReadable(node);
    HadoopFsRelation relation = (HadoopFsRelation) node.relation();
    if ("DROPMALFORMED".equalsIgnoreCase(optionOf(relation, "mode"))) {
      throw unnumbered("the mode DROPMALFORMED, which counts other records for other columns");
    }
    if (optionOf(relation, "comment") != null) {
      throw unnumbered("the option comment, without which the records have other positions");
    }
    FileFormat format = new IdentifiedFiles(relation.fileFormat(), files.recordIds(node));
    LogicalPlan rows = identified(node, format, IdentifiedFiles.COLUMN);
    return new Rewritten(rows, List.of(new Slot(id(rows), Form.ROWS)));
  }

  private static Unsupported unnumbered(String found) {
    return new Unsupported(
        "The lineage of this source cannot be captured without a key",
        "It is read with " + found,
        "Declare its key, or leave out the option");
  }

  /** Refuse a scan to which the column of ids cannot be added. */
  public static void checkReadable(LogicalRelation node) {
    for (AttributeReference column : Plans.<AttributeReference>list(node.output())) {
      if (FileSourceMetadataAttribute$.MODULE$.unapply(column).isDefined()) {
        throw refusal("the hidden column _metadata");
      }
      if (column.name().equalsIgnoreCase(IdentifiedParquet.COLUMN)) {
        throw refusal("a column that has a name of Spark's own, " + column.name());
      }
    }
  }

  /** Return a scan of Parquet or Delta with the ids of its rows as the last column. */
  public static LogicalPlan identified(LogicalRelation node, RowIds ids) {
    HadoopFsRelation relation = (HadoopFsRelation) node.relation();
    if (!DeletionVectors.in(relation)) {
      return identifiedWhole(node, ids);
    }
    LogicalRelation marked = DeletionVectors.marked(node);
    return DeletionVectors.left(marked, identifiedWhole(marked, ids));
  }

  private static LogicalPlan identifiedWhole(LogicalRelation node, RowIds ids) {
    HadoopFsRelation relation = (HadoopFsRelation) node.relation();
    ParquetFileFormat format = (ParquetFileFormat) relation.fileFormat();
    return identified(node, new IdentifiedParquet(format, ids), IdentifiedParquet.COLUMN);
  }

  private static LogicalPlan identified(LogicalRelation node, FileFormat format, String name) {
    HadoopFsRelation relation = (HadoopFsRelation) node.relation();
    AttributeReference column = Plans.column(name, DataTypes.LongType);
    HadoopFsRelation wider =
        relation.copy(
            relation.location(),
            relation.partitionSchema(),
            relation.dataSchema().add(name, DataTypes.LongType, true),
            relation.bucketSpec(),
            format,
            relation.options(),
            relation.sparkSession());
    List<AttributeReference> output = Plans.joined(Plans.list(node.output()), List.of(column));
    LogicalPlan scan = Plans.with(node, Map.of("relation", wider, "output", Plans.seq(output)));
    Alias id = Plans.alias(new KnownNotNull(column), "provhouse_row");
    return Plans.only(Plans.joined(Plans.output(node), List.of(id)), scan);
  }

  /** Return the column of ids that {@code identified} has added. */
  public static Attribute id(LogicalPlan rows) {
    List<Attribute> output = Plans.output(rows);
    return output.get(output.size() - 1);
  }

  /**
   * Return the names of the columns that an ingest can read from the files, keyed by the ids of the
   * columns in the plan.
   *
   * <p>Columns with metadata are left out, since the metadata may give a column another name in
   * files, or a default value for files without the column. Delta's columns are left out too, since
   * they may also have other names in files.
   */
  private static Map<Object, String> readable(LogicalRelation node) {
    HadoopFsRelation relation = (HadoopFsRelation) node.relation();
    Map<Object, String> found = new HashMap<>();
    boolean exactNames = relation.sparkSession().sessionState().conf().caseSensitiveAnalysis();
    if (formatOf(node).equals(DELTA) || exactNames) {
      return found;
    }
    for (AttributeReference column : Plans.<AttributeReference>list(node.output())) {
      String name = column.name();
      boolean inFiles =
          List.of(relation.dataSchema().fieldNames()).contains(name)
              && Stream.of(relation.partitionSchema().fieldNames()).noneMatch(name::equalsIgnoreCase);
      if (inFiles
          && !name.contains(".")
          && GroupKey.isReadable(column.dataType())
          && column.metadata().equals(Metadata.empty())) {
        found.put(column.exprId(), name);
      }
    }
    return found;
  }

  private static String formatOf(LogicalRelation node) {
    return ((HadoopFsRelation) node.relation()).fileFormat().getClass().getName();
  }

  private static Unsupported refusal(String found) {
    return new Unsupported(
        "The lineage of this source cannot be captured yet",
        "It reads " + found + ", which capture does not cover",
        "Leave it out, or write this result outside of the block");
  }
}
