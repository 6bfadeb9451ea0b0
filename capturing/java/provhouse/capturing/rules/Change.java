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

/**
 * A Delta command that changes rows of a table (DELETE, UPDATE or MERGE), and the plan of the rows
 * that it writes.
 *
 * <p>Delta rewrites each file with a changed row, so most of the written rows may be copies. A scan
 * of the changed table adds a slot of the kind {@code TARGET}. At the operator that decides which
 * rows change, the slots of a copied row become NULL, and a slot of the kind {@code Form.KEPT} gets
 * the id of the original row.
 *
 * <p>Without a declared key ({@code keyed} is false), a row is named by its file and position. So a
 * copy is another row, which derives from the original row alone.
 */
public record Change(LogicalPlan command, boolean keyed) {
  /** The value for plans that do not come from a command that changes rows. */
  public static final Change NONE = new Change(null, false);

  private static final String INDEX = DeltaNames.PACKAGE + "files.TahoeBatchFileIndex";
  private static final String METRIC = DeltaNames.PACKAGE + "metric.IncrementMetric";

  /** Delta's column that is true for joined rows that a MERGE does not write. */
  private static final String DROPPED = "_row_dropped_";

  /**
   * The kind of a slot that holds row ids of the changed table. The slot is below the operator that
   * decides which rows change.
   */
  private static final int TARGET = Form.KEPT - 1;

  /** Return the change that a command makes, or null for any other command. */
  public static Change of(LogicalPlan command) {
    boolean found = DeltaNames.isChange(command) || DeltaNames.isMove(command);
    return found ? new Change(command, true) : null;
  }

  /** Return the same change of a table whose rows no declared key names. */
  public Change withoutKey() {
    return new Change(command, false);
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
      case SCAN, ICEBERG, CACHE, BATCH -> true;
      default -> Plans.children(plan).stream().anyMatch(Change::reads);
    };
  }

  /** Return whether the command writes rows only to move them. Their keys then find them. */
  public boolean moves() {
    return command != null && DeltaNames.isMove(command);
  }

  private boolean is(String name) {
    return command != null && command.getClass().getSimpleName().equals(name);
  }

  /**
   * Return a scan's rows. If they are rows of the changed table, their slot gets the kind {@code
   * TARGET}, or {@code Form.KEPT} for copied rows.
   */
  Rewritten scanned(LogicalRelation node, Rewritten rows) {
    boolean changes =
        command != null
            && node.relation() instanceof HadoopFsRelation relation
            && relation.location().getClass().getName().equals(INDEX);
    if (!changes) {
      return rows;
    }
    Attribute id = rows.slots().get(0).attribute();
    int copied = keyed ? Form.KEPT : Form.ROWS;
    Slot target = new Slot(id, is("DeleteCommand") ? copied : TARGET); // DELETE only copies
    List<Slot> slots = List.of(target);
    if (!is("UpdateCommand")) {
      return new Rewritten(rows.plan(), slots);
    }
    Alias same = Plans.alias(notUpdated(node), "provhouse_copied");
    LogicalPlan plan = Plans.withColumn(rows.plan(), same);
    return split(Plans.output(node), plan, slots, target, same.toAttribute());
  }

  /** Return the condition for the rows that an UPDATE copies. */
  private Expression notUpdated(LogicalRelation table) {
    Option<Expression> condition = Named.call(command, "condition");
    if (condition.isEmpty()) {
      return Literal.FalseLiteral();
    }
    Expression found = condition.get();
    boolean known =
        Plans.references(found).stream().allMatch(each -> table.outputSet().contains(each));
    if (!known || !found.deterministic()) {
      throw Unsupported.write(
          "The condition of the UPDATE "
              + (known ? "is not deterministic" : "uses columns that Delta computes"));
    }
    Expression no = Literal.FalseLiteral();
    return new Not(new Coalesce(Plans.seq(List.of(found, no))));
  }

  /** Return a rewritten projection, whose slots depend on what a MERGE does with each row. */
  Rewritten projected(Project node, Rewritten rows) {
    Slot target = rows.slots().stream().filter(each -> each.tap() == TARGET).findFirst().orElse(null);
    Expression kept = target == null ? null : kept(node);
    if (kept == null) {
      return rows;
    }
    Alias copied = Plans.alias(kept, "provhouse_copied");
    Project decided = (Project) rows.plan();
    List<NamedExpression> columns = Plans.joined(Plans.list(decided.projectList()), List.of(copied));
    LogicalPlan plan = decided.copy(Plans.seq(columns), decided.child());
    return split(Plans.output(node), plan, rows.slots(), target, copied.toAttribute());
  }

  private Rewritten split(
      List<Attribute> output, LogicalPlan plan, List<Slot> before, Slot target, Attribute copied) {
    List<NamedExpression> columns = new ArrayList<>(output);
    List<Slot> slots = new ArrayList<>();
    for (Slot slot : before) {
      boolean stays = slot == target && !keyed;
      Expression id = slot.attribute();
      Alias changed =
          Plans.alias(stays ? id : new If(copied, Plans.nothing(), id), "provhouse_slot");
      columns.add(changed);
      int kind = slot.tap() == TARGET ? Form.ROWS : slot.tap();
      slots.add(new Slot(changed.toAttribute(), kind));
    }
    if (!keyed) {
      return new Rewritten(Plans.only(columns, plan), slots);
    }
    Alias kept = Plans.alias(new If(copied, target.attribute(), Plans.nothing()), "provhouse_kept");
    columns.add(kept);
    slots.add(new Slot(kept.toAttribute(), Form.KEPT));
    return new Rewritten(Plans.only(columns, plan), slots);
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

  /**
   * Return the slots of the written rows. If there is a slot with ids of copied rows, it is the
   * last.
   */
  List<Slot> finished(List<Slot> slots) {
    List<Slot> found = new ArrayList<>();
    Slot kept = null;
    for (Slot slot : slots) {
      if (slot.tap() == TARGET) {
        throw Unsupported.write("This version of Delta decides in an unknown way which rows change");
      }
      if (slot.tap() == Form.KEPT) {
        kept = slot;
      } else {
        found.add(slot);
      }
    }
    return kept == null ? found : Plans.joined(found, List.of(kept));
  }

  /** Refuse to merge rows of the changed table, since it would be unknown which rows are copies. */
  void checkMerged(List<Slot> slots) {
    if (slots.stream().anyMatch(slot -> slot.tap() == TARGET || slot.tap() == Form.KEPT)) {
      throw Unsupported.write("Delta merges rows of the changed table before it writes them");
    }
  }
}
