package provhouse.capturing.targets;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.catalog.BucketSpec;
import org.apache.spark.sql.catalyst.catalog.ExternalCatalogUtils;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.CreateArray;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.execution.datasources.InsertIntoHadoopFsRelationCommand;
import org.apache.spark.sql.execution.datasources.V1WritesUtils;
import org.apache.spark.sql.execution.datasources.WriteFiles;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.types.UTF8String;
import provhouse.capturing.Unsupported;
import provhouse.capturing.plans.*;
import scala.Option;

/**
 * Finds the file of each row among the files of the row's task, by the folder of the row's
 * partition and the number of its bucket.
 *
 * <p>Before the tap, Spark sorts the rows of a task by folder and bucket, so the tap gets the rows
 * of each file in order.
 */
public record Layout(List<String> names) implements Serializable {
  /**
   * Return the strings that identify a row's file among its task's files; none for a single file.
   */
  static List<Expression> texts(InsertIntoHadoopFsRelationCommand command, String timeZone) {
    List<Attribute> partitions = Plans.list(command.partitionColumns());
    Option<BucketSpec> buckets = command.bucketSpec();
    List<Expression> found = new ArrayList<>();
    if (partitions.isEmpty() && buckets.isEmpty()) {
      return found;
    }
    if (!(command.child() instanceof WriteFiles)) {
      throw Unsupported.write("Rows are sorted only while they are written, due to Spark's settings");
    }
    if (!partitions.isEmpty()) {
      found.add(folder(names(partitions), partitions, timeZone));
    }
    if (buckets.isDefined()) {
      List<Attribute> data = Plans.list(command.query().output());
      partitions.forEach(column -> data.removeIf(each -> each.exprId().equals(column.exprId())));
      Expression number =
          V1WritesUtils.getWriterBucketSpec(buckets, Plans.seq(data), command.options())
              .get()
              .bucketIdExpression();
      found.add(Plans.asText(number, timeZone));
    }
    return found;
  }

  /**
   * Return a list with one string, a row's folder made from these columns, or an empty list if
   * there are no columns.
   */
  static List<Expression> texts(List<String> names, List<Attribute> columns, String timeZone) {
    return names.isEmpty() ? List.of() : List.of(folder(names, columns, timeZone));
  }

  private static List<String> names(List<Attribute> columns) {
    return columns.stream().map(Attribute::name).toList();
  }

  private static Expression folder(List<String> names, List<Attribute> columns, String timeZone) {
    List<Expression> values = new ArrayList<>();
    columns.forEach(column -> values.add(Plans.asText(column, timeZone)));
    return Plans.call(
        new Layout(names),
        "folder",
        DataTypes.StringType,
        List.of(new CreateArray(Plans.seq(values), false)),
        true);
  }

  /** Return the folder of a partition within the table, as Spark names it. */
  public UTF8String folder(ArrayData values) {
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < names.size(); i++) {
      texts.add(values.isNullAt(i) ? null : values.getUTF8String(i).toString());
    }
    return UTF8String.fromString(folder(names, texts));
  }

  /** Return the folder of the partition with these values. */
  static String folder(List<String> names, List<String> values) {
    StringBuilder path = new StringBuilder();
    for (int i = 0; i < names.size(); i++) {
      path.append(i == 0 ? "" : "/");
      path.append(ExternalCatalogUtils.getPartitionPathString(names.get(i), values.get(i)));
    }
    return path.toString();
  }
}
