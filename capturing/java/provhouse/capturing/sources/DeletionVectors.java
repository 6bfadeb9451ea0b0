package provhouse.capturing.sources;

import java.lang.reflect.Method;
import java.util.*;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.datasources.FileStatusWithMetadata;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.LogicalRelation;
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat;
import org.apache.spark.sql.types.DataTypes;
import provhouse.capturing.Unsupported;
import provhouse.capturing.plans.*;
import scala.Option;

/**
 * Rows of Delta tables that are deleted although a file still contains them.
 *
 * <p>A deletion vector of a file has the indexes of such rows. Delta's reader fills a column by
 * which its own planner leaves them out. That planner does not know the format of captured scans.
 */
public final class DeletionVectors {
  private static final String COLUMN = "__delta_internal_is_row_deleted";
  private static final String VECTOR = "row_index_filter_id_encoded";
  private static final String TYPE = "row_index_filter_type";
  private static final String DESCRIPTOR =
      DeltaNames.PACKAGE + "actions.DeletionVectorDescriptor";
  private static final String BY_ROW_INDEX =
      "spark.databricks.delta.deletionVectors.useMetadataRowIndex";

  private DeletionVectors() {}

  /** Return whether a file of a relation has a deletion vector. */
  static boolean in(HadoopFsRelation relation) {
    return Listing.files(relation).stream()
        .anyMatch(file -> Plans.map(file.metadata()).containsKey(VECTOR));
  }

  /**
   * Return the description of a file's deletion vector, in the same form as in Delta's log, or null
   * if the file has none.
   */
  static Map<String, Object> of(FileStatusWithMetadata file, HadoopFsRelation relation) {
    Map<String, Object> metadata = Plans.map(file.metadata());
    if (!metadata.containsKey(VECTOR)) {
      return null;
    }
    if (!String.valueOf(metadata.get(TYPE)).equals("IF_CONTAINED")) {
      throw Unsupported.operator("scan", file.getPath() + " is read for its deleted rows");
    }
    Object found = decoded((String) metadata.get(VECTOR), relation);
    Map<String, Object> described = new LinkedHashMap<>();
    for (String part : List.of("storageType", "pathOrInlineDv", "sizeInBytes", "cardinality")) {
      described.put(part, Named.call(found, part));
    }
    Option<Object> offset = Named.call(found, "offset");
    described.put("offset", offset.isDefined() ? offset.get() : null);
    return described;
  }

  private static Object decoded(String text, HadoopFsRelation relation) {
    try {
      ClassLoader loader = relation.fileFormat().getClass().getClassLoader();
      return Class.forName(DESCRIPTOR, true, loader)
          .getMethod("deserializeFromBase64", String.class)
          .invoke(null, text);
    } catch (ReflectiveOperationException error) {
      throw Named.unknown(error);
    }
  }

  /** Return a scan that also reads the column by which deleted rows are left out. */
  static LogicalRelation marked(LogicalRelation node) {
    HadoopFsRelation relation = (HadoopFsRelation) node.relation();
    if (relation.sparkSession().conf().get(BY_ROW_INDEX, "true").equalsIgnoreCase("false")) {
      throw Unsupported.operator(
          "scan", "Deletion vectors are applied without row indexes, due to " + BY_ROW_INDEX);
    }
    AttributeReference column = Plans.column(COLUMN, DataTypes.ByteType);
    HadoopFsRelation wider =
        relation.copy(
            relation.location(),
            relation.partitionSchema(),
            relation.dataSchema().add(COLUMN, DataTypes.ByteType, true),
            relation.bucketSpec(),
            format(relation),
            relation.options(),
            relation.sparkSession());
    List<AttributeReference> output = Plans.joined(Plans.list(node.output()), List.of(column));
    return (LogicalRelation)
        Plans.with(node, Map.of("relation", wider, "output", Plans.seq(output)));
  }

  /** Return the format whose reader fills the column. */
  private static ParquetFileFormat format(HadoopFsRelation relation) {
    String root = Plans.list(relation.location().rootPaths()).get(0).toString();
    try {
      Method method =
          relation.fileFormat().getClass().getMethod("copyWithDVInfo", String.class, boolean.class);
      return (ParquetFileFormat) method.invoke(relation.fileFormat(), root, true);
    } catch (ReflectiveOperationException error) {
      throw Named.unknown(error);
    }
  }

  /** Return only the rows of a marked scan that are not deleted. */
  static LogicalPlan left(LogicalRelation marked, LogicalPlan rows) {
    List<Attribute> columns = Plans.output(marked);
    Attribute deleted = columns.get(columns.size() - 1);
    Literal no = new Literal((byte) 0, DataTypes.ByteType);
    List<Attribute> others = new ArrayList<>(Plans.output(rows));
    others.removeIf(each -> each.exprId().equals(deleted.exprId()));
    return Plans.only(others, new Filter(new EqualTo(deleted, no), rows));
  }
}
