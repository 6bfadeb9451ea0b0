package provhouse.capturing;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.FileSourceMetadataAttribute$;
import org.apache.spark.sql.catalyst.expressions.GetStructField;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression$;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.LogicalRelation;
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import scala.Option;

/** Rewrites scans of files, so that each row carries its id. */
final class Sources {
  private static final String DELTA = "org.apache.spark.sql.delta.DeltaParquetFileFormat";
  private static final String PATH = "file_path";
  private static final String ROW = "row_index";

  private Sources() {}

  /** A scan with hidden columns, and where each of its rows is: the path of its file, its index. */
  record Located(LogicalRelation scan, Expression path, Expression index) {}

  static Rewritten scan(LogicalRelation node, SourceFiles files) {
    if (!hasPlaces(node)) {
      return files.keyed(node);
    }
    Located located = located(node);
    Option<org.apache.spark.sql.catalyst.catalog.CatalogTable> table = node.catalogTable();
    String name = table.isDefined() ? table.get().identifier().table() : "";
    Alias alias = idOf(located, files.rowIds(node, name));
    List<NamedExpression> columns = Plans.joined(Plans.list(node.output()), List.of(alias));
    HadoopFsRelation relation = (HadoopFsRelation) node.relation();
    return new Rewritten(
        new Project(Plans.seq(columns), located.scan()),
        List.of(new Slot(alias.toAttribute(), Slot.ROWS, integers(node, relation))));
  }

  /** Return the id of each row of a scan as a column. */
  static Alias idOf(Located located, RowIds ids) {
    List<Expression> place = List.of(located.path(), located.index());
    return Plans.alias(
        Plans.call(ids, "id", DataTypes.LongType, place, true), "provhouse_row");
  }

  /** Return whether the rows of a source have places in files. */
  static boolean hasPlaces(LogicalRelation node) {
    return node.relation() instanceof HadoopFsRelation
        && List.of(ParquetFileFormat.class.getName(), DELTA).contains(formatOf(node));
  }

  /** Return a scan of Parquet or Delta that says where its rows are, or refuse it. */
  static Located located(LogicalRelation node) {
    HadoopFsRelation relation = (HadoopFsRelation) node.relation();
    for (AttributeReference column : Plans.<AttributeReference>list(node.output())) {
      if (FileSourceMetadataAttribute$.MODULE$.unapply(column).isDefined()) {
        throw refusal(node, "the hidden column _metadata");
      }
    }
    AttributeReference metadata = metadata(node, PATH, ROW);
    if (metadata == null && formatOf(node).equals(DELTA)) {
      return indexed(node, relation);
    }
    if (metadata == null) {
      throw refusal(node, "files without row indexes, or with a column named _metadata");
    }
    LogicalRelation scan = wider(node, relation, List.of(metadata));
    return new Located(scan, field(metadata, PATH), field(metadata, ROW));
  }

  /**
   * Locate the rows of a Delta table that hides the row index. It is a column that the reader of
   * Parquet fills if the schema has it, as it does for Delta's own deletion vectors.
   */
  private static Located indexed(LogicalRelation node, HadoopFsRelation relation) {
    AttributeReference metadata = metadata(node, PATH);
    if (metadata == null) {
      throw refusal(node, "a table with a column named _metadata");
    }
    String name = ParquetFileFormat.ROW_INDEX_TEMPORARY_COLUMN_NAME();
    AttributeReference index = Plans.numbers(name);
    HadoopFsRelation wider =
        relation.copy(
            relation.location(),
            relation.partitionSchema(),
            relation.dataSchema().add(name, DataTypes.LongType, true),
            relation.bucketSpec(),
            relation.fileFormat(),
            relation.options(),
            relation.sparkSession());
    LogicalRelation scan = wider(node, wider, List.of(index, metadata));
    return new Located(scan, field(metadata, PATH), index);
  }

  private static LogicalRelation wider(
      LogicalRelation node, HadoopFsRelation relation, List<AttributeReference> added) {
    List<AttributeReference> output = Plans.joined(Plans.list(node.output()), added);
    return node.copy(
        relation, Plans.seq(output), node.catalogTable(), node.isStreaming(), node.stream());
  }

  /**
   * Return the names of the columns of integers that an ingest can read from the files, by their ids.
   *
   * <p>Metadata may be a default for files that lack the column, or another name of it. Delta too
   * can give columns other names in files.
   */
  private static Map<Object, String> integers(LogicalRelation node, HadoopFsRelation relation) {
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
          && GroupKey.WIDTHS.contains(column.dataType())
          && column.metadata().equals(Metadata.empty())) {
        found.put(column.exprId(), name);
      }
    }
    return found;
  }

  private static String formatOf(LogicalRelation node) {
    return ((HadoopFsRelation) node.relation()).fileFormat().getClass().getName();
  }

  /** Return the hidden column with these fields only, or null; Spark would make all fields. */
  private static AttributeReference metadata(LogicalRelation node, String... names) {
    for (AttributeReference column : Plans.<AttributeReference>list(node.metadataOutput())) {
      if (column.dataType() instanceof StructType) {
        List<StructField> fields = new ArrayList<>();
        for (StructField field : ((StructType) column.dataType()).fields()) {
          if (List.of(names).contains(field.name())) {
            fields.add(field);
          }
        }
        if (fields.size() == names.length) {
          return (AttributeReference)
              column.withDataType(new StructType(fields.toArray(new StructField[0])));
        }
      }
    }
    return null;
  }

  private static Expression field(AttributeReference struct, String name) {
    int at = ((StructType) struct.dataType()).fieldIndex(name);
    return new GetStructField(struct, at, Option.apply(name));
  }

  private static Unsupported refusal(LogicalRelation node, String found) {
    return new Unsupported(
        "The lineage of this source cannot be captured yet",
        "It reads " + found + "; only Parquet and Delta can be captured",
        "Store the source as Parquet or Delta, or write this result outside of the block");
  }
}
