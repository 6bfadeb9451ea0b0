package provhouse.capturing.plans;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.trees.Origin;
import provhouse.capturing.spark.*;

/** Finds the place in the user's program that an operator comes from, if Spark has recorded it. */
public final class Places {
  /**
   * The prefixes of the classes through which Spark itself, or a program in Python, calls Spark.
   */
  private static final List<String> CALLERS =
      List.of("java.", "jdk.", "sun.", "py4j.", "org.apache.spark.");

  private static final int LONGEST_STATEMENT = 80;

  private Places() {}

  /**
   * Return the first known place among the places of an operator's expressions and of the operator
   * itself, or an empty string.
   *
   * <p>A place is a file and a line. For SQL, it is a line of the statement, and the beginning of
   * the statement.
   */
  public static String of(LogicalPlan node) {
    List<Origin> origins = new ArrayList<>();
    for (Expression each : Plans.list(node.expressions())) {
      Plans.parts(each, Expression.class).forEach(part -> origins.add(part.origin()));
    }
    origins.add(node.origin());
    return origins.stream().map(Places::of).filter(each -> !each.isEmpty()).findFirst().orElse("");
  }

  private static String of(Origin origin) {
    String line = Origins.python(origin);
    if (line != null) {
      return line;
    }
    StackTraceElement[] calls = Origins.calls(origin);
    if (calls.length > 1) {
      StackTraceElement caller = calls[1]; // the first element is Spark's
      boolean foreign = CALLERS.stream().anyMatch(caller.getClassName()::startsWith);
      return foreign ? "" : caller.getFileName() + ":" + caller.getLineNumber();
    }
    if (origin.sqlText().isDefined() && origin.line().isDefined()) {
      return "line " + origin.line().get() + " of " + begin(origin.sqlText().get());
    }
    return "";
  }

  private static String begin(String statement) {
    String text = statement.strip().replaceAll("\\s+", " ");
    return text.length() <= LONGEST_STATEMENT ? text : text.substring(0, LONGEST_STATEMENT) + "…";
  }
}
