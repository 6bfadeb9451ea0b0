package provhouse.capturing.rules;

import java.util.*;
import org.apache.spark.Dependency;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.execution.LogicalRDD;
import provhouse.capturing.plans.*;
import provhouse.capturing.taps.*;

/**
 * The RDDs with the rows of frames that the program has passed to its own RDDs ({@code frame.rdd}).
 *
 * <p>Functions of RDDs may use any rows, and Spark's plan does not show which. But each RDD knows
 * the RDDs that it is computed from. So if all of them lead to such frames, the rows of an RDD
 * derive from no other rows.
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
   * other rows.
   */
  Set<Integer> of(RDD<?> rdd) {
    Set<Integer> found = new TreeSet<>();
    Set<RDD<?>> seen = new HashSet<>(Set.of(rdd));
    Deque<RDD<?>> waiting = new ArrayDeque<>(seen);
    while (!waiting.isEmpty()) {
      RDD<?> next = waiting.pop();
      if (frames.containsKey(next)) {
        found.add(frames.get(next));
        continue;
      }
      List<Dependency<?>> inputs = Plans.list(next.dependencies());
      if (inputs.isEmpty()) {
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
}
