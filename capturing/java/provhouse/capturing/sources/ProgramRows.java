package provhouse.capturing.sources;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Range;
import org.apache.spark.sql.execution.LogicalRDD;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import provhouse.capturing.Unsupported;
import provhouse.capturing.plans.*;
import provhouse.capturing.spark.*;
import provhouse.capturing.taps.*;

/**
 * Rows that the program itself made, numbered from 0, with their ids as the last column.
 *
 * <p>They count as rows of a table whose name contains a digest of the columns and rows. So in
 * every job, the same rows are the same items, and different rows are different items.
 */
record ProgramRows(String table, long number, LogicalPlan plan) {
  private static final String ID = "provhouse_row";

  /**
   * Return the rows of an operator without input. In their ids, {@code number} is the file number.
   */
  static ProgramRows of(LogicalPlan node, long number) {
    if (node instanceof Range range) {
      return of(range, number);
    }
    return node instanceof LogicalRDD rows ? of(rows, number) : of((LocalRelation) node, number);
  }

  Attribute id() {
    List<Attribute> columns = Plans.output(plan);
    return columns.get(columns.size() - 1);
  }

  private static ProgramRows of(Range range, long number) {
    if (range.numElements().bitLength() > Form.ROW_BITS) {
      throw Unsupported.operator("Range", "It has more than 2^" + Form.ROW_BITS + " rows");
    }
    String table = "range-" + range.start() + "-" + range.end() + "-" + range.step();
    RangeIds ids = new RangeIds(number, range.start(), range.step());
    return new ProgramRows(table, number, with(range, ids, Plans.output(range).get(0)));
  }

  /**
   * Number the rows of a list. Refuse them if Spark may have folded a filter into the list, since
   * this would change the numbers.
   */
  private static ProgramRows of(LocalRelation list, long number) {
    if (!Folding.isOff(SQLConf.get())) {
      throw Unsupported.rows(
          list.nodeName(),
          "The program has changed " + OwnSettings.RULES + ", so Spark may have left out some of them");
    }
    List<DataType> types = typesOf(list);
    RowDigest digest = new RowDigest(types);
    List<InternalRow> rows = new ArrayList<>();
    for (InternalRow row : Plans.<InternalRow>list(list.data())) {
      Object[] values = new Object[types.size() + 1];
      for (int i = 0; i < types.size(); i++) {
        values[i] = row.isNullAt(i) ? null : row.get(i, types.get(i));
      }
      values[types.size()] = number << Form.ROW_BITS | rows.size();
      rows.add(new GenericInternalRow(values));
      digest.add(row);
    }
    List<Attribute> columns =
        Plans.joined(Plans.output(list), List.of(Plans.column(ID, DataTypes.LongType)));
    return new ProgramRows(
        tableOf(list, digest.value()),
        number,
        Operators.local(Plans.seq(columns), Plans.seq(rows)));
  }

  /**
   * Number the rows of an RDD by their positions in the partitions. Spark counts the rows in a job.
   */
  private static ProgramRows of(LogicalRDD node, long number) {
    List<RowDigest.Part> parts =
        node.rdd().toJavaRDD().mapPartitions(new RowDigest.Counting(typesOf(node))).collect();
    long[] firsts = new long[parts.size() + 1];
    long digest = 0;
    for (int i = 0; i < parts.size(); i++) {
      firsts[i + 1] = firsts[i] + parts.get(i).rows();
      digest = parts.get(i).after(digest);
    }
    PlaceIds ids = new PlaceIds(number, firsts);
    LogicalPlan plan = with(node, ids, new MonotonicallyIncreasingID());
    return new ProgramRows(tableOf(node, digest), number, plan);
  }

  private static List<DataType> typesOf(LogicalPlan node) {
    return Plans.output(node).stream().map(Attribute::dataType).toList();
  }

  private static String tableOf(LogicalPlan node, long digest) {
    List<String> columns =
        Plans.output(node).stream().map(each -> each.name() + " " + each.dataType().json()).toList();
    return String.format("literal-%08x%016x", columns.hashCode(), digest);
  }

  private static LogicalPlan with(LogicalPlan node, Object ids, Expression place) {
    boolean pure = place.deterministic();
    Expression id = Plans.call(ids, "id", DataTypes.LongType, List.of(place), pure);
    return Plans.withColumn(node, Plans.alias(id, ID));
  }
}
