package provhouse.capturing.plans;

import java.util.*;
import org.apache.spark.Dependency;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.PlanExpression;
import org.apache.spark.sql.catalyst.plans.logical.*;
import org.apache.spark.sql.execution.ExternalRDD;
import org.apache.spark.sql.execution.SQLExecutionRDD;

/**
 * The lines that {@code spark.read.csv(rdd)} parses. Spark makes a plan that leaves out empty lines
 * and comments, and passes its rows to an RDD.
 *
 * <p>While Spark optimises such a plan, the program's RDD is replaced by a copy, by which the plan
 * is recognised later: no other plan scans this copy.
 */
public final class CsvLines {
  private static final Set<RDD<?>> COPIES =
      Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

  private CsvLines() {}

  /** Return whether Spark optimises the plan in order to parse its rows as CSV. */
  public static boolean are(LogicalPlan plan) {
    return plan instanceof DeserializeToObject
        && Calls.isInside("DataFrameReader", "csv")
        && isFilter(plan);
  }

  /** Return whether a plan only scans an RDD and filters its rows. */
  private static boolean isFilter(LogicalPlan plan) {
    if (plan instanceof ExternalRDD<?> lines) {
      return !COPIES.contains(lines.rdd());
    }
    boolean passes =
        plan instanceof DeserializeToObject
            || plan instanceof SerializeFromObject
            || plan instanceof Project
            || plan instanceof Filter;
    return passes
        && Plans.list(plan.expressions()).stream()
            .allMatch(each -> Plans.parts((Expression) each, PlanExpression.class).isEmpty())
        && isFilter(Plans.children(plan).get(0));
  }

  /** Return the plan with a copy of its RDD. */
  public static LogicalPlan copied(LogicalPlan plan) {
    if (plan instanceof ExternalRDD<?> lines) {
      RDD<?> copy = lines.rdd().toJavaRDD().mapPartitions(rows -> rows).rdd();
      COPIES.add(copy);
      return Plans.with(plan, Map.of("rdd", copy));
    }
    return Plans.withChildren(plan, copied(Plans.children(plan).get(0)));
  }

  /** Return whether an RDD has the rows of such a plan. */
  static boolean have(RDD<?> rdd) {
    List<Dependency<?>> inputs = Plans.list(rdd.dependencies());
    while (inputs.size() == 1) {
      RDD<?> next = inputs.get(0).rdd();
      if (COPIES.contains(next)) {
        return true;
      }
      inputs = next instanceof SQLExecutionRDD ? List.of() : Plans.list(next.dependencies());
    }
    return false;
  }
}
