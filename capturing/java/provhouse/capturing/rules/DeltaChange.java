package provhouse.capturing.rules;

import java.util.*;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.LogicalRelation;
import org.apache.spark.sql.execution.metric.SQLMetric;
import provhouse.capturing.Unsupported;
import provhouse.capturing.plans.*;
import provhouse.capturing.taps.*;
import scala.Function1;
import scala.Option;

/** A Delta command that changes rows of a table. Delta rewrites each file with a changed row. */
public final class DeltaChange extends Change {
  private static final String INDEX = DeltaNames.PACKAGE + "files.TahoeBatchFileIndex";
  private static final String METRIC = DeltaNames.PACKAGE + "metric.IncrementMetric";

  /** Delta's column that is true for joined rows that a MERGE does not write. */
  private static final String DROPPED = "_row_dropped_";

  private final LogicalPlan command;
  private final boolean keyed;

  private DeltaChange(LogicalPlan command, boolean keyed) {
    this.command = command;
    this.keyed = keyed;
  }

  /** Return the change that a command makes, or null for any other command. */
  static DeltaChange of(LogicalPlan command) {
    boolean found = DeltaNames.isChange(command) || DeltaNames.isMove(command);
    return found ? new DeltaChange(command, true) : null;
  }

  @Override
  public LogicalPlan command() {
    return command;
  }

  @Override
  public Change withoutKey() {
    return moves() ? null : new DeltaChange(command, false);
  }

  @Override
  boolean isKeyed() {
    return keyed;
  }

  /** Return whether Delta writes rows in this thread. */
  public static boolean isWriting() {
    return Calls.isInside(DeltaNames.PACKAGE + "files.TransactionalWrite");
  }

  /**
   * Return whether Delta materializes the source rows of a MERGE in this thread, since a MERGE
   * reads them twice.
   */
  public static boolean isStoring() {
    return Calls.isInside("MergeIntoMaterializeSource", "prepareMergeSource");
  }

  /** Return whether a plan reads rows. A plan that only describes columns does not. */
  public static boolean reads(LogicalPlan plan) {
    return switch (Kind.of(plan)) {
      case SCAN, TOPICS, ICEBERG, CACHE, BATCH -> true;
      default -> Plans.children(plan).stream().anyMatch(DeltaChange::reads);
    };
  }

  @Override
  public boolean moves() {
    return DeltaNames.isMove(command);
  }

  private boolean is(String name) {
    return command.getClass().getSimpleName().equals(name);
  }

  @Override
  Rewritten scanned(LogicalPlan node, Rewritten rows) {
    boolean changes =
        node instanceof LogicalRelation table
            && table.relation() instanceof HadoopFsRelation relation
            && relation.location().getClass().getName().equals(INDEX);
    if (!changes) {
      return rows;
    }
    Attribute id = rows.slots().get(0).attribute();
    int copied = keyed ? Form.KEPT : Form.ROWS;
    int kind = is("DeleteCommand") ? copied : TARGET; // DELETE only copies
    Rewritten found = new Rewritten(rows.plan(), List.of(new Slot(id, kind)));
    if (!is("UpdateCommand")) {
      return found;
    }
    Option<Expression> condition = Named.call(command, "condition");
    return updated(node, found, condition.isEmpty() ? Literal.TrueLiteral() : condition.get());
  }

  /** Return a rewritten projection, whose slots depend on what a MERGE does with each row. */
  @Override
  Rewritten projected(Project node, Rewritten rows) {
    Expression kept = target(rows.slots()) == null ? null : kept(node);
    if (kept == null) {
      return rows;
    }
    Alias copied = Plans.alias(kept, "provhouse_copied");
    Project decided = (Project) rows.plan();
    List<NamedExpression> columns = Plans.joined(Plans.list(decided.projectList()), List.of(copied));
    LogicalPlan plan = decided.copy(Plans.seq(columns), decided.child());
    return split(Plans.output(node), plan, rows.slots(), copied.toAttribute());
  }

  /**
   * Return the condition for the rows that a MERGE copies, or null if the projection does not
   * decide this.
   */
  private Expression kept(Project node) {
    for (NamedExpression column : Plans.<NamedExpression>list(node.projectList())) {
      Expression decision = column instanceof Alias made ? decision(made) : null;
      if (decision != null) {
        Expression found = copies(decision);
        if (!found.deterministic()) {
          throw Unsupported.write("A condition of the MERGE is not deterministic");
        }
        return found;
      }
    }
    return null;
  }

  /**
   * Return the expression of a column that decides what happens to each row, or null.
   *
   * <p>For a change data feed, the column is an array of structures. Its last alternative is for
   * the rows that are not changed, and contains the same expression.
   */
  private static Expression decision(Alias column) {
    if (column.name().equals(DROPPED)) {
      return column.child();
    }
    Expression found = null;
    for (CreateNamedStruct each : Plans.parts(column.child(), CreateNamedStruct.class)) {
      List<Expression> parts = Plans.list(each.children());
      for (int name = 0; name < parts.size(); name += 2) {
        boolean decides = parts.get(name) instanceof Literal text && DROPPED.equals(text.toString());
        found = decides ? parts.get(name + 1) : found;
      }
    }
    return found;
  }

  /**
   * Return an expression that is true for the rows that a MERGE copies.
   *
   * <p>Delta counts the rows of each action in the expression that decides between the actions. In
   * the returned condition, the counter of copies is replaced by true, and all other counters by
   * false.
   */
  private Expression copies(Expression decision) {
    if (!decision.getClass().getName().equals(METRIC)) {
      Function1<Expression, Expression> inside = this::copies;
      return (Expression) decision.mapChildren(inside);
    }
    return counts(decision, "numTargetRowsCopied") ? Literal.TrueLiteral() : Literal.FalseLiteral();
  }

  /**
   * Return whether a counter, or a counter inside of it, is the command's metric with this name.
   * Metrics are compared by their names, since Delta may run a copy of the command.
   */
  private boolean counts(Expression counter, String name) {
    scala.collection.Map<String, SQLMetric> metrics = Named.call(command, "metrics");
    Map<String, SQLMetric> known = Plans.map(metrics);
    SQLMetric metric = Named.call(counter, "metric");
    if (known.values().stream().noneMatch(each -> each.name().equals(metric.name()))) {
      throw Unsupported.write("This version of Delta counts rows of a MERGE unknown to it: " + metric);
    }
    Expression child = Plans.children(counter).get(0);
    return known.get(name).name().equals(metric.name())
        || child.getClass().getName().equals(METRIC) && counts(child, name);
  }
}
