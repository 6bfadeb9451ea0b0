package provhouse.capturing.plans;

import java.util.Set;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;

/** The names of Delta's classes, which are not on the class path of every session. */
public final class DeltaNames {
  public static final String PACKAGE = "org.apache.spark.sql.delta.";

  private static final Set<String> CHANGES =
      Set.of("DeleteCommand", "UpdateCommand", "MergeIntoCommand");

  private static final Set<String> MOVES = Set.of("OptimizeTableCommand", "DeltaReorgTableCommand");

  private DeltaNames() {}

  /** Return whether a command is a known DELETE, UPDATE or MERGE of rows of a Delta table. */
  public static boolean isChange(LogicalPlan command) {
    return isOne(command, CHANGES);
  }

  /** Return whether a command only moves rows of a Delta table to other files, as OPTIMIZE does. */
  public static boolean isMove(LogicalPlan command) {
    return isOne(command, MOVES);
  }

  /** Return whether a command removes all rows of a Delta table, without a plan (TRUNCATE). */
  public static boolean isTruncate(LogicalPlan command) {
    return isOne(command, Set.of("TruncateDeltaTableCommand"));
  }

  private static boolean isOne(LogicalPlan command, Set<String> names) {
    Class<?> kind = command.getClass();
    return kind.getName().equals(PACKAGE + "commands." + kind.getSimpleName())
        && names.contains(kind.getSimpleName());
  }
}
