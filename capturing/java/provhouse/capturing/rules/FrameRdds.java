package provhouse.capturing.rules;

import java.util.*;
import org.apache.spark.Dependency;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.execution.LogicalRDD;
import org.apache.spark.sql.execution.SQLExecutionRDD;
import provhouse.capturing.plans.*;
import provhouse.capturing.taps.*;

/**
 * The RDDs with the rows of frames that the program has passed to its own RDDs ({@code frame.rdd}).
 *
 * <p>Functions of RDDs may use any rows, and Spark's plan does not show which. But each RDD knows
 * the RDDs that it is computed from. So if all of them lead to such frames, the rows of an RDD
 * derive from no other rows, unless a plan in between has hidden inputs.
 */
final class FrameRdds {
  private final Map<RDD<?>, Integer> frames = new WeakHashMap<>();

  /** Return whether Spark optimizes the current plan in order to pass its rows to an RDD. */
  static boolean isPassing() {
    return Calls.isInside("Dataset", "javaToPython");
  }

  /** Return whether a plan already has taps. */
  static boolean hasTaps(LogicalPlan plan) {
    return Plans.called(plan, Tap.class) != null
        || Plans.children(plan).stream().anyMatch(FrameRdds::hasTaps);
  }

  /**
   * Return whether a plan reads only the rows of such a frame. Spark applies a rule until the plan
   * stays the same, so this one may see its own result.
   */
  boolean isPassed(LogicalPlan plan) {
    return plan instanceof LogicalRDD rows
        ? frames.containsKey(rows.rdd())
        : plan instanceof Project columns && isPassed(columns.child());
  }

  /** Record the RDD with the rows of the frame with this number. */
  void put(RDD<?> rows, int frame) {
    frames.put(rows, frame);
  }

  /**
   * Return the numbers of the frames that an RDD is computed from, or an empty set if it also has
   * other rows, or may have them.
   */
  Set<Integer> of(RDD<?> rdd) {
    Set<Integer> found = new TreeSet<>();
    Set<RDD<?>> seen = new HashSet<>(Set.of(rdd));
    Deque<RDD<?>> waiting = new ArrayDeque<>(seen);
    while (!waiting.isEmpty()) {
      RDD<?> next = waiting.pop();
      Integer frame = next instanceof SQLExecutionRDD ? frames.get(planned(next)) : null;
      if (frame != null) {
        found.add(frame);
        continue;
      }
      List<Dependency<?>> inputs = Plans.list(next.dependencies());
      if (inputs.isEmpty() || PlannedRows.mayHide(next)) {
        return Set.of();
      }
      for (Dependency<?> input : inputs) {
        if (seen.add(input.rdd())) {
          waiting.push(input.rdd());
        }
      }
    }
    return found;
  }

  /**
   * Return the next RDD of a plan below an RDD of a plan, or null. If this is the RDD of a frame,
   * the plan above it only passes its rows on, since no other plan scans this RDD.
   */
  private static RDD<?> planned(RDD<?> rdd) {
    List<Dependency<?>> inputs = Plans.list(rdd.dependencies());
    while (inputs.size() == 1) {
      RDD<?> next = inputs.get(0).rdd();
      if (next instanceof SQLExecutionRDD) {
        return next;
      }
      inputs = Plans.list(next.dependencies());
    }
    return null;
  }
}
