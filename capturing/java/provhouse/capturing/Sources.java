package provhouse.capturing;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.FileSourceMetadataAttribute$;
import org.apache.spark.sql.catalyst.expressions.GetStructField;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.LogicalRelation;
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import scala.Option;

/** Rewrites scans of files, so that each row carries its id. */
final class Sources {
  private static final String PATH = "file_path";
  private static final String ROW = "row_index";

  private Sources() {}

  static Rewritten scan(LogicalRelation node, SourceFiles files) {
    if (!(node.relation() instanceof HadoopFsRelation)) {
      throw refusal(node, node.relation().getClass().getSimpleName());
    }
    HadoopFsRelation relation = (HadoopFsRelation) node.relation();
    if (relation.fileFormat().getClass() != ParquetFileFormat.class) {
      throw refusal(node, relation.fileFormat().toString());
    }
    for (AttributeReference column : Plans.<AttributeReference>list(node.output())) {
      if (FileSourceMetadataAttribute$.MODULE$.unapply(column).isDefined()) {
        throw refusal(node, "the hidden column _metadata");
      }
    }
    AttributeReference metadata = metadata(node);
    List<AttributeReference> output = Plans.joined(Plans.list(node.output()), List.of(metadata));
    LogicalRelation scan =
        node.copy(
            relation, Plans.seq(output), node.catalogTable(), node.isStreaming(), node.stream());
    Option<org.apache.spark.sql.catalyst.catalog.CatalogTable> table = node.catalogTable();
    String name = table.isDefined() ? table.get().identifier().table() : "";
    Expression id =
        Plans.call(
            files.rowIds(relation, name),
            "id",
            DataTypes.LongType,
            List.of(field(metadata, PATH), field(metadata, ROW)),
            true);
    Alias alias = Plans.alias(id, "provhouse_row");
    List<NamedExpression> columns = Plans.joined(Plans.list(node.output()), List.of(alias));
    return new Rewritten(
        new Project(Plans.seq(columns), scan), List.of(new Slot(alias.toAttribute(), Slot.ROWS)));
  }

  /** Return the hidden column with the path and row index only; Spark would make all fields. */
  private static AttributeReference metadata(LogicalRelation node) {
    List<AttributeReference> hidden = Plans.list(node.metadataOutput());
    for (AttributeReference column : hidden) {
      if (column.dataType() instanceof StructType) {
        List<StructField> fields = new ArrayList<>();
        for (StructField field : ((StructType) column.dataType()).fields()) {
          if (field.name().equals(PATH) || field.name().equals(ROW)) {
            fields.add(field);
          }
        }
        if (fields.size() == 2) {
          return (AttributeReference)
              column.withDataType(new StructType(fields.toArray(new StructField[0])));
        }
      }
    }
    throw refusal(node, "files without row indexes, or with a column named _metadata");
  }

  private static Expression field(AttributeReference struct, String name) {
    int at = ((StructType) struct.dataType()).fieldIndex(name);
    return new GetStructField(struct, at, Option.apply(name));
  }

  private static Unsupported refusal(LogicalRelation node, String found) {
    return new Unsupported(
        "The lineage of this source cannot be captured yet",
        "It reads " + found + "; only Parquet files can be captured",
        "Store the source as Parquet, or write this result outside of the block");
  }
}
