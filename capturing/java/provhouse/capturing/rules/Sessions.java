package provhouse.capturing.rules;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.catalyst.expressions.aggregate.*;
import org.apache.spark.sql.catalyst.optimizer.NormalizeFloatingNumbers$;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.types.DataTypes;
import provhouse.capturing.plans.*;
import provhouse.capturing.spark.*;

/**
 * The sessions of the rows below an aggregate that groups by {@code session_window}.
 *
 * <p>Below the aggregate, each row has a window of its own. Inside the aggregate, Spark merges
 * windows that overlap or touch. This class merges the windows in the same way, with window
 * functions below the aggregate, so that each row carries the session of its group. If such a
 * session differed from Spark's session, its group would have no rows, and an ingest would refuse
 * the write.
 */
final class Sessions {
  private final Attribute window;
  private final List<Expression> grouping;
  private final List<Alias> begun = new ArrayList<>();
  private final List<Attribute> by = new ArrayList<>();
  private final List<SortOrder> order;
  private final Alias latest;
  private final Alias first;
  private final Alias number;
  private final Alias from;
  private final Alias to;
  private final Alias session;

  private Sessions(Attribute window, List<Expression> grouping) {
    this.window = window;
    this.grouping = grouping;
    Alias start = Plans.alias(Plans.field(window, 0), "provhouse_start");
    Alias end = Plans.alias(Plans.field(window, 1), "provhouse_end");
    begun.addAll(List.of(start, end));
    for (Expression each : grouping) {
      if (each != window) {
        Expression key = NormalizeFloatingNumbers$.MODULE$.normalize(each);
        begun.add(Plans.alias(key, "provhouse_by"));
        by.add(begun.get(begun.size() - 1).toAttribute());
      }
    }
    order = List.of(Plans.ascending(start.toAttribute()));
    Expression before = new Literal(-1, DataTypes.IntegerType);
    latest = over(new Max(end.toAttribute()), by, order, before, "provhouse_latest");
    Expression apart = new GreaterThan(start.toAttribute(), latest.toAttribute());
    first = Plans.alias(new If(apart, Plans.number(1), Plans.number(0)), "provhouse_first");
    Expression here = CurrentRow$.MODULE$;
    number = over(new Sum(first.toAttribute()), by, order, here, "provhouse_session");
    Expression all = UnboundedFollowing$.MODULE$;
    from = over(new Min(start.toAttribute()), bySession(), List.of(), all, "provhouse_from");
    to = over(new Max(end.toAttribute()), bySession(), List.of(), all, "provhouse_to");
    List<Expression> fields =
        List.of(Plans.text("start"), from.toAttribute(), Plans.text("end"), to.toAttribute());
    session = Plans.alias(new CreateNamedStruct(Plans.seq(fields)), "provhouse_window");
  }

  /** Return the sessions of an aggregate, or null if it does not group by a session. */
  static Sessions of(Aggregate node) {
    List<Expression> grouping = Plans.list(node.groupingExpressions());
    for (Expression each : grouping) {
      if (each instanceof Attribute column
          && column.metadata().contains(SessionWindow$.MODULE$.marker())) {
        return new Sessions(column, grouping);
      }
    }
    return null;
  }

  /** Return the rows below the aggregate with their sessions. */
  LogicalPlan merged(LogicalPlan plan) {
    LogicalPlan rows = plan;
    for (Alias each : begun) {
      rows = Plans.withColumn(rows, each);
    }
    rows = Plans.withColumn(window(List.of(latest), by, order, rows), first);
    rows = window(List.of(number), by, order, rows);
    return Plans.withColumn(window(List.of(from, to), bySession(), List.of(), rows), session);
  }

  /** Return the expressions that group the rows of {@code merged}. */
  List<Expression> grouping() {
    List<Expression> found = new ArrayList<>();
    grouping.forEach(each -> found.add(each == window ? session.toAttribute() : each));
    return found;
  }

  private List<Attribute> bySession() {
    return Plans.joined(by, List.of(number.toAttribute()));
  }

  private static Alias over(
      AggregateFunction function,
      List<Attribute> by,
      List<SortOrder> order,
      Expression last,
      String name) {
    SpecifiedWindowFrame frame =
        new SpecifiedWindowFrame(RowFrame$.MODULE$, UnboundedPreceding$.MODULE$, last);
    return Plans.alias(
        new WindowExpression(
            function.toAggregateExpression(),
            new WindowSpecDefinition(Plans.seq(by), Plans.seq(order), frame)),
        name);
  }

  private static LogicalPlan window(
      List<Alias> functions, List<Attribute> by, List<SortOrder> order, LogicalPlan rows) {
    return Operators.window(Plans.seq(functions), Plans.seq(by), Plans.seq(order), rows);
  }
}
