package provhouse.capturing.replay;

import java.util.*;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.PlanExpression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Sample;
import provhouse.capturing.plans.*;
import provhouse.capturing.spark.*;

/** Rows of one scan, kept in memory in the order of their ids. */
record KeptRows(long[] ids, InternalRow[] rows) {

  /**
   * Settings that save time with few rows, for which compiling code takes longer than interpreting
   * it.
   */
  private static final Map<String, String> SMALL =
      Map.of(
          "spark.sql.shuffle.partitions", "1",
          "spark.sql.adaptive.enabled", "false",
          "spark.sql.codegen.wholeStage", "false",
          "spark.sql.codegen.factoryMode", "NO_CODEGEN");

  /** Return a session for frames over rows in memory. It has the tables of {@code other}. */
  static SparkSession session(SparkSession other) {
    SparkSession found = DataFrames.cloned(other);
    SMALL.forEach(found.conf()::set);
    return found;
  }

  /** Read the rows of a plan. The last column of the plan is the id of each row. */
  static KeptRows read(SparkSession session, LogicalPlan plan) {
    int last = Plans.list(plan.output()).size() - 1;
    InternalRow[] rows =
        DataFrames.of(session, plan).queryExecution().executedPlan().executeCollect();
    Arrays.sort(rows, Comparator.comparingLong(row -> row.getLong(last)));
    return new KeptRows(Arrays.stream(rows).mapToLong(row -> row.getLong(last)).toArray(), rows);
  }

  /** Return the rows that have these ids, as a plan with the columns of the scan. */
  LogicalPlan only(long[] wanted, List<Attribute> columns) {
    List<InternalRow> found = new ArrayList<>();
    for (long id : wanted) {
      int at = Arrays.binarySearch(ids, id);
      if (at >= 0) {
        found.add(rows[at]); // each row ends with its id, which is no column of the scan
      }
    }
    return Operators.local(Plans.seq(columns), Plans.seq(found));
  }

  /**
   * Return whether a plan gives the same result for rows in memory as for the same rows in files.
   */
  static boolean suffice(LogicalPlan plan) {
    return !(plan instanceof Sample)
        && Plans.<Expression>list(plan.expressions()).stream().allMatch(KeptRows::suffice)
        && Plans.children(plan).stream().allMatch(KeptRows::suffice);
  }

  private static boolean suffice(Expression value) {
    PlanExpression<LogicalPlan> subquery = Plans.subquery(value);
    boolean inside = subquery == null || suffice(subquery.plan());
    return value.deterministic() && inside
        && Plans.children(value).stream().allMatch(KeptRows::suffice);
  }
}
